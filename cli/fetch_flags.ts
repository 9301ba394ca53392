/**
 * Flags of `outrider crawl` on what is asked of sites, and how they are reached.
 */

import type { Command } from "commander";
import type { AddressFlags } from "./address_flags.ts";
import { many } from "./flags.ts";

export interface FetchFlags extends AddressFlags {
  readonly embeds?: boolean;
  readonly skipNofollow?: boolean;
  readonly recrawl?: boolean;
}

export function addFetchFlags(command: Command): Command {
  return command
    .option(
      "--allow-address <cidr>",
      "open an address range that isn't public, e.g. 127.0.0.0/8 (repeatable)",
      many,
      [],
    )
    .option("--resolve <host=address>", "use this address for a host, or for *.suffix (repeatable)", many, [])
    .option("--resolver <ip[:port]>", "ask this DNS server instead of the system's (repeatable)", many, [])
    .option("--embeds", "fetch images, scripts and styles of pages too")
    .option("--skip-nofollow", "don't follow links with rel=nofollow")
    .option(
      "--recrawl",
      "when this crawl is finished already, ask for all of it again; pages that didn't change aren't sent anew",
    );
}
