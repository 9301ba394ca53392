/**
 * What a sitemap says of its own pages' urgency, as a factor of their priority: which is the more urgent of them, never
 * whether its host is more urgent than others.
 * Invariant: pure; a factor lies within 1 - MOST and 1 + MOST, and over the pages of one sitemap factors are 1 in the mean,
 * as far as they aren't clamped; what is said of all pages alike counts for nothing.
 */

import type { Fetched } from "../../../protocol/mod.ts";

/** How far a sitemap can move its pages: about a band (docs/PRIORITY.md). */
const MOST = 0.2;
/** A page that changed so long ago counts for e^-1 of one that has just changed. */
const FADES_DAYS = 30;
const DAY_S = 86_400;
const UNSAID_PRIORITY = 50;

export type SitemapSays = Pick<Fetched, "outlink_priorities" | "outlink_lastmods">;

/**
 * The factor of each page by its index; undefined where the sitemap says nothing, or what it says fits no page. `now`: wall
 * ms; `trust`: 0 to 1, of what the host's sitemaps say.
 */
export function sitemapFactors(
  says: SitemapSays,
  { count, now, trust }: { readonly count: number; readonly now: number; readonly trust: number },
): ((index: number) => number) | undefined {
  const priorities = wanted(says.outlink_priorities, count);
  const lastmods = wanted(says.outlink_lastmods, count);
  if (priorities === undefined && lastmods === undefined) return undefined;
  const byPriority = centred(priorities?.map((one) => (one > 0 ? Math.min(100, one) : UNSAID_PRIORITY) / 100));
  const byAge = centred(lastmods?.map((one) => freshness(one, now)));
  const weight = MOST * Math.min(1, Math.max(0, trust));
  return (index) => {
    const says = (byPriority?.[index] ?? 0) + (byAge?.[index] ?? 0);
    return 1 + weight * Math.min(1, Math.max(-1, says));
  };
}

function wanted(values: readonly number[] | undefined, count: number): readonly number[] | undefined {
  return values !== undefined && values.length === count ? values : undefined;
}

/** 1 = changed just now, towards 0 the longer ago; 0.5 where nothing is said. A time to come isn't believed. */
function freshness(lastmodS: number, now: number): number {
  const days = (now / 1000 - lastmodS) / DAY_S;
  return lastmodS <= 0 || days < -2 ? 0.5 : Math.exp(-Math.max(0, days) / FADES_DAYS);
}

function centred(values: readonly number[] | undefined): readonly number[] | undefined {
  if (values === undefined) return undefined;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value - mean);
}
