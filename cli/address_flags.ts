/**
 * Flags that name addresses, checked before anything is opened.
 * Invariant: without a part of the node that they are for, which costs a process that starts none a tenth of a second.
 */

import { createAddressGuard } from "../edge/http/address_guard.ts";
import { parseDnsServer } from "../edge/http/dns/dns_servers.ts";
import { parseResolveOverride } from "../edge/http/resolve_override.ts";
import { Fault, USAGE } from "./fault.ts";

export interface AddressFlags {
  readonly allowAddress: readonly string[];
  readonly resolve: readonly string[];
  readonly resolver: readonly string[];
}

/** Throws a Fault when a flag of addresses can't be read. */
export function checkAddressFlags({ allowAddress, resolve, resolver }: AddressFlags): void {
  const check = (flag: string, texts: readonly string[], read: (text: string) => unknown) => {
    for (const text of texts) {
      try {
        read(text);
      } catch (error) {
        throw new Fault(`${flag}: ${(error as Error).message}`, USAGE);
      }
    }
  };
  check("--allow-address", allowAddress, (cidr) => createAddressGuard([cidr]));
  check("--resolve", resolve, parseResolveOverride);
  check("--resolver", resolver, parseDnsServer);
}
