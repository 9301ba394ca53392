/**
 * The address ranges that are no public web, as data: the IANA special-purpose registries (RFC 6890), clouds'
 * metadata services, and the forms of IPv6 that carry an IPv4 address.
 * Invariant: the first range that contains an address names its class; what no range contains is public.
 */

import { type Cidr, contains, parseCidr } from "../../protocol/ip_address.ts";

export interface AddressClass {
  /** With its article: "a loopback address". */
  readonly name: string;
  readonly cidr: string;
  /** Offset of the IPv4 address that such an IPv6 address stands for. */
  readonly embedsIpv4At?: number;
}

const METADATA = "a cloud metadata service";

const CLASSES: readonly AddressClass[] = [
  { cidr: "169.254.169.254/32", name: METADATA },
  { cidr: "169.254.170.2/32", name: METADATA },
  { cidr: "100.100.100.200/32", name: METADATA },
  { cidr: "168.63.129.16/32", name: METADATA },
  { cidr: "192.0.0.192/32", name: METADATA },
  { cidr: "0.0.0.0/8", name: 'an address of "this network"' },
  { cidr: "10.0.0.0/8", name: "a private address" },
  { cidr: "100.64.0.0/10", name: "a carrier-grade NAT address" },
  { cidr: "127.0.0.0/8", name: "a loopback address" },
  { cidr: "169.254.0.0/16", name: "a link-local address" },
  { cidr: "172.16.0.0/12", name: "a private address" },
  { cidr: "192.0.0.0/24", name: "an IETF protocol address" },
  { cidr: "192.0.2.0/24", name: "a documentation address" },
  { cidr: "192.88.99.0/24", name: "a 6to4 relay address" },
  { cidr: "192.168.0.0/16", name: "a private address" },
  { cidr: "198.18.0.0/15", name: "a benchmarking address" },
  { cidr: "198.51.100.0/24", name: "a documentation address" },
  { cidr: "203.0.113.0/24", name: "a documentation address" },
  { cidr: "224.0.0.0/4", name: "a multicast address" },
  { cidr: "255.255.255.255/32", name: "the broadcast address" },
  { cidr: "240.0.0.0/4", name: "a reserved address" },
  { cidr: "fd00:ec2::254/128", name: METADATA },
  { cidr: "fd20:ce::254/128", name: METADATA },
  { cidr: "::/128", name: "the unspecified address" },
  { cidr: "::1/128", name: "a loopback address" },
  { cidr: "::ffff:0:0/96", name: "an IPv4-mapped address", embedsIpv4At: 12 },
  { cidr: "::ffff:0:0:0/96", name: "an IPv4-translated address", embedsIpv4At: 12 },
  { cidr: "::/96", name: "an IPv4-compatible address", embedsIpv4At: 12 },
  { cidr: "64:ff9b::/96", name: "a NAT64 address", embedsIpv4At: 12 },
  { cidr: "64:ff9b:1::/48", name: "a local NAT64 address" },
  { cidr: "100::/64", name: "a discard address" },
  { cidr: "2001::/32", name: "a Teredo address" },
  { cidr: "2001:2::/48", name: "a benchmarking address" },
  { cidr: "2001:10::/28", name: "an ORCHID address" },
  { cidr: "2001:20::/28", name: "an ORCHID address" },
  { cidr: "2001:db8::/32", name: "a documentation address" },
  { cidr: "2001::/23", name: "an IETF protocol address" },
  { cidr: "2002::/16", name: "a 6to4 address", embedsIpv4At: 2 },
  { cidr: "3fff::/20", name: "a documentation address" },
  { cidr: "fc00::/7", name: "a unique-local address" },
  { cidr: "fe80::/10", name: "a link-local address" },
  { cidr: "fec0::/10", name: "a site-local address" },
  { cidr: "ff00::/8", name: "a multicast address" },
];

const RANGES: readonly (AddressClass & { readonly range: Cidr })[] = CLASSES.map((one) => ({
  ...one,
  range: parseCidr(one.cidr),
}));

const GLOBAL_UNICAST = parseCidr("2000::/3");
const UNASSIGNED: AddressClass = { name: "a reserved address", cidr: "outside 2000::/3" };

/** The class that keeps `address` (4 or 16 bytes) off the public web, or undefined when it is public. */
export function classOf(address: Uint8Array): AddressClass | undefined {
  const found = RANGES.find((one) => contains(one.range, address));
  if (found || address.length === 4) return found;
  // IANA hands out global unicast from 2000::/3 only (RFC 4291 2.4); all else is kept for the future.
  return contains(GLOBAL_UNICAST, address) ? undefined : UNASSIGNED;
}
