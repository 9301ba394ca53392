/**
 * Flags of `outrider crawl` on what is asked of sites, and how they are reached.
 */

import type { Command } from "commander";
import { addAddressFlags, type AddressFlags } from "./address_flags.ts";
import type { FetchRules, NoarchiveUse } from "../protocol/mod.ts";
import { many, oneOf } from "./flags.ts";

export interface FetchFlags extends AddressFlags {
  readonly embeds?: boolean;
  readonly skipNofollow?: boolean;
  readonly contentType: readonly string[];
  readonly cookies?: boolean;
  readonly noarchive?: NoarchiveUse;
  readonly recrawl?: boolean;
}

export function addFetchFlags(command: Command): Command {
  return addAddressFlags(command)
    .option("--embeds", "fetch images, scripts and styles of pages too")
    .option("--skip-nofollow", "don't follow links with rel=nofollow")
    .option(
      "--content-type <type>",
      "keep only pages of this media type, e.g. text/html or text/*; others are ended after their head (repeatable)",
      many,
      [],
    )
    .option("--cookies", "keep the cookies of a host for as long as one lease of it lasts")
    .option(
      "--noarchive <use>",
      "pages that say noarchive: tell it in pages.jsonl (mark), or don't keep their bodies (obey)",
      oneOf(["mark", "obey"]),
      "mark",
    )
    .option(
      "--recrawl",
      "when this crawl is finished already, ask for all of it again; pages that didn't change aren't sent anew",
    );
}

/** What of them goes into a crawl's spec; defaults are left out. */
export function fetchRulesOf({ contentType, cookies, noarchive }: FetchFlags): FetchRules {
  return {
    ...(contentType.length === 0 ? {} : { content_types: contentType.map((type) => type.toLowerCase()) }),
    ...(cookies ? { cookies } : {}),
    ...(noarchive === "obey" ? { noarchive } : {}),
  };
}
