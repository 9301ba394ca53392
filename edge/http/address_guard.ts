/**
 * Decides which addresses may be connected to.
 * Invariant: an address is allowed only if it is public or the operator opened a range that contains it; under
 * `onlyOpened` only the latter counts. A text that is no address is refused. Pure: it does no look-ups.
 */

import { classOf } from "./address_classes.ts";
import { type Cidr, contains, formatAddress, parseAddress, parseCidr } from "../../protocol/ip_address.ts";

export interface AddressGuard {
  /** Why `address` must not be connected to, as a sentence; undefined when it may be. */
  refusal(address: string, onlyOpened: boolean): string | undefined;
  /** True when the operator opened a range that contains `address`. */
  isOpened(address: string): boolean;
}

/** The IPv4 address that an IPv6 address of a transition form stands for: what a packet to it would reach. */
function embeddedIpv4(address: Uint8Array): Uint8Array | undefined {
  const at = address.length === 16 ? classOf(address)?.embedsIpv4At : undefined;
  return at === undefined ? undefined : address.subarray(at, at + 4);
}

function inAny(ranges: readonly Cidr[], address: Uint8Array): boolean {
  return ranges.some((range) => contains(range, address));
}

/**
 * A transition form is opened by its IPv4 address' range. Its own IPv6 range opens it only where the IPv4 address is
 * public or opened too: opening NAT64 must not open the private network behind the gateway.
 */
function isOpenedBytes(opened: readonly Cidr[], address: Uint8Array): boolean {
  const inner = embeddedIpv4(address);
  if (!inner) return inAny(opened, address);
  return inAny(opened, inner) || (inAny(opened, address) && classOf(inner) === undefined);
}

function howToOpen(address: Uint8Array): string {
  const target = embeddedIpv4(address) ?? address;
  return `to open it, pass --allow-address ${formatAddress(target)}/${target.length * 8}`;
}

/** A guard with these CIDR ranges opened. Throws a sentence when one of them can't be read. */
export function createAddressGuard(openedCidrs: readonly string[]): AddressGuard {
  const opened = openedCidrs.map(parseCidr);
  return {
    refusal(text, onlyOpened) {
      const address = parseAddress(text);
      if (!address) return `Connecting to "${text}" was refused: it is not an IP address.`;
      if (isOpenedBytes(opened, address)) return undefined;
      const found = classOf(address);
      if (found) {
        return `Connecting to ${text} was refused: it is ${found.name} (${found.cidr}); ${howToOpen(address)}.`;
      }
      if (!onlyOpened) return undefined;
      return `Connecting to ${text} was refused: a crawl without delay may reach opened addresses only; ${
        howToOpen(address)
      }.`;
    },
    isOpened(text) {
      const address = parseAddress(text);
      return address !== undefined && isOpenedBytes(opened, address);
    },
  };
}
