/**
 * How urgent a URL is: one pure function of what is known of it, and the band that it puts the URL in.
 * Invariant: 0 to 1; more in-links, a greater change rate, a longer time since the last fetch or a higher operator
 * priority never lower it, depth and query parameters never raise it. docs/PRIORITY.md has the formula with examples.
 */

import type { CrawlOrder } from "../../../protocol/mod.ts";
import { bandOf, clampPriority } from "./bands.ts";

/** Factor by which each step away from a seed lowers a URL's worth: breadth first, softly. */
const DEPTH_DECAY = 0.85;
/** Share of what is left to 1 that the most in-links make good, in a crawl of priority 1. */
const LINKS_SHARE = 0.8;
/** In-links from which on more of them change nothing: 4^5. */
const LINKS_CAP = 1024;
/** Parameters that a query may have before each further one lowers the priority by `PARAMETER_DECAY`. */
const FREE_PARAMETERS = 3;
const PARAMETER_DECAY = 0.85;
const DAY_MS = 86_400_000;

export interface PriorityFacts {
  /** 0 to 1: that of the crawl or of the seed. */
  readonly operator: number;
  /** Link steps from a seed. */
  readonly depth: number;
  /** Pages that link to it, as far as counted; the one that it was found on included. Absent = 1. */
  readonly inLinks?: number;
  /** Parameters of its query. Absent = 0. */
  readonly queryParameters?: number;
  /** Absent = it was never fetched. */
  readonly fetched?: {
    /** Changes a day; see change_rate.ts. */
    readonly changesPerDay: number;
    readonly sinceFetchMs: number;
  };
}

/**
 * worth x need x form. Worth: the operator's word, lowered by depth, lifted towards 1 by in-links (in proportion to the
 * operator's word, so that no crawl passes another one by its links alone). Need: 1 for what was never fetched, else the
 * chance that it changed since (a Poisson process). Form: many query parameters make a trap likelier.
 */
export function priorityOf(facts: PriorityFacts): number {
  const operator = clampPriority(facts.operator);
  const kept = operator * DEPTH_DECAY ** Math.max(0, facts.depth);
  const lift = LINKS_SHARE * operator * importanceOf(facts.inLinks ?? 1);
  const worth = 1 - (1 - kept) * (1 - lift);
  return worth * needOf(facts.fetched) * formOf(facts.queryParameters ?? 0);
}

/** 1 up to `FREE_PARAMETERS`, then less with each: long before the door refuses so many (`queryParameters`). */
export function formOf(queryParameters: number): number {
  return PARAMETER_DECAY ** Math.max(0, queryParameters - FREE_PARAMETERS);
}

/** 0 for one in-link to 1 for `LINKS_CAP`, by powers of 4. */
export function importanceOf(inLinks: number): number {
  const counted = Math.min(LINKS_CAP, Math.max(1, inLinks));
  return Math.log2(counted) / Math.log2(LINKS_CAP);
}

function needOf(fetched: PriorityFacts["fetched"]): number {
  if (fetched === undefined) return 1;
  const days = Math.max(0, fetched.sinceFetchMs) / DAY_MS;
  return 1 - Math.exp(-Math.max(0, fetched.changesPerDay) * days);
}

/** Parameters in the query of a WHATWG href; empty ones don't count. */
export function queryParametersOf(href: string): number {
  const start = href.indexOf("?");
  if (start < 0) return 0;
  let count = 0;
  for (let at = start; at >= 0; at = href.indexOf("&", at + 1)) {
    const next = href.charCodeAt(at + 1);
    if (at + 1 < href.length && next !== AMPERSAND && next !== HASH) count++;
  }
  return count;
}
const AMPERSAND = 0x26;
const HASH = 0x23;

/**
 * The front queue of a URL that isn't a redirect's target. `breadth_first` looks at depth alone: within a host and a
 * band URLs keep the order in which they were found, so pages of a depth come before those of the next.
 */
export function bandFor(order: CrawlOrder, url: { readonly priority: number; readonly depth: number }, bands: number) {
  return order === "priority" ? bandOf(url.priority, bands) : Math.min(bands - 1, 1 + Math.max(0, url.depth));
}
