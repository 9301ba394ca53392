/**
 * Flags on how sites are reached, of all commands that fetch; those that name addresses are checked before anything is
 * opened.
 * Invariant: without a part of the node that they are for, which costs a process that starts none a tenth of a second.
 */

import type { Command } from "commander";
import { createAddressGuard } from "../edge/http/address_guard.ts";
import { parseDnsServer } from "../edge/http/dns/dns_servers.ts";
import { parseResolveOverride } from "../edge/http/resolve_override.ts";
import { LIMITS } from "../protocol/mod.ts";
import { Fault, USAGE } from "./fault.ts";
import { many, number } from "./flags.ts";

export interface AddressFlags {
  readonly allowAddress: readonly string[];
  readonly resolve: readonly string[];
  readonly resolver: readonly string[];
  readonly timeoutMs: number;
  readonly maxBodyMb: number;
}

/** Megabytes of one body, on the wire and decoded, that a machine may be asked to hold. */
const MOST_BODY_MB = 100;

export function addAddressFlags(command: Command): Command {
  return command
    .option(
      "--allow-address <cidr>",
      "open an address range that isn't public, e.g. 127.0.0.0/8 (repeatable)",
      many,
      [],
    )
    .option("--resolve <host=address>", "use this address for a host, or for *.suffix (repeatable)", many, [])
    .option("--resolver <ip[:port]>", "ask this DNS server instead of the system's (repeatable)", many, [])
    .option(
      "--timeout-ms <ms>",
      "longest time of one request, names and connection included",
      number({ least: 1_000, most: LIMITS.fetchWallMs }),
      LIMITS.fetchWallMs,
    )
    .option(
      "--max-body-mb <n>",
      "megabytes of a body that are kept, as sent and as decoded; the rest is cut off and marked",
      number({ least: 0.001, most: MOST_BODY_MB, whole: false }),
      LIMITS.wireBytes / 1e6,
    );
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
