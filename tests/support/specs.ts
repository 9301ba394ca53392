/**
 * Crawl specs for tests.
 */

import { type CrawlSpec, LIMITS } from "../../protocol/mod.ts";

/** A crawl of the seeds' hosts with default politeness. */
export function crawlSpec(seeds: readonly string[]): CrawlSpec {
  return {
    seeds,
    scope: { kind: "host", domains: [], include: [], exclude: [] },
    priority: 0.5,
    politeness: {
      delay_ms: LIMITS.delayMs,
      delay_factor: LIMITS.delayFactor,
      delay_cap_ms: LIMITS.delayCapMs,
      max_parallel: 1,
    },
    user_agent: "Outrider/0.0.0 (+test@example.org)",
    product_token: "outrider",
    contact: "test@example.org",
    embeds: false,
    respect_rel_nofollow: false,
  };
}
