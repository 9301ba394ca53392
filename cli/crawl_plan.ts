/**
 * From the flags of `outrider crawl` to what is crawled: pure, so that every wrong use is told before anything is opened.
 */

import {
  DEFAULT_PRODUCT_TOKEN,
  defaultUserAgent,
  isLoopbackUrl,
  validateCrawlSpec,
} from "../coordinator/frontier/crawls/crawl_spec.ts";
import { malformedSeeds } from "../coordinator/frontier/crawls/seeding.ts";
import type { Core } from "../core-wasm/core.ts";
import { type CrawlOrder, type CrawlSpec, LIMITS, type ScopeKind, type SitemapUse } from "../protocol/mod.ts";
import type { Digest } from "../runtime/ports.ts";
import { Fault, USAGE } from "./fault.ts";
import { type FetchFlags, fetchRulesOf } from "./fetch_flags.ts";
import { VERSION } from "./version.ts";

/** The flags as commander gives them. */
export interface CrawlFlags extends FetchFlags {
  readonly contact?: string;
  readonly userAgent?: string;
  readonly scope: ScopeKind;
  readonly domain: readonly string[];
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly maxPages?: number;
  readonly maxDepth?: number;
  readonly delayMs: number;
  readonly delayFactor: number;
  readonly maxParallel: number;
  readonly order?: CrawlOrder;
  readonly sitemaps?: SitemapUse;
}

export interface CrawlPlan {
  readonly crawlId: string;
  readonly spec: CrawlSpec;
  /** CIDR ranges that connections may go to besides public addresses. */
  readonly openedCidrs: readonly string[];
}

/** Seeds from a file's bytes: one URL a line; blank lines and lines that begin with # are skipped. Throws on no UTF-8. */
export function seedsFrom(bytes: Uint8Array): string[] {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  return text.split(/\r\n|\r|\n/).map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
}

/** Throws a Fault that names the first seed that is no http(s) URL, before anything is opened for the others. */
export function checkSeeds(seeds: readonly string[], core: Pick<Core, "urls">): void {
  const [first, ...more] = malformedSeeds(seeds, core);
  if (first === undefined) return;
  const others = more.length === 0 ? "" : ` (${more.length} more can't either)`;
  throw new Fault(
    `Seed ${first.index + 1} of ${seeds.length} can't be crawled${others}: ${first.error}${meant(first.url)}`,
    USAGE,
  );
}

/** For a host and path whose scheme was left out. */
function meant(seed: string): string {
  return /^[^\s:/?#]+(?::\d{1,5})?(?:[/?#]|$)/.test(seed) ? ` Perhaps https://${seed} (or http) was meant.` : "";
}

/** Throws a Fault with one sentence per thing that is wrong. */
export function planCrawl(seeds: readonly string[], flags: CrawlFlags, digest: Digest): CrawlPlan {
  if (seeds.length === 0) {
    throw new Fault("Nothing to crawl: no URL was given; name at least one, or a file of them with --seeds.", USAGE);
  }
  const polite = flags.delayMs > 0;
  const spec: CrawlSpec = {
    seeds,
    scope: {
      kind: flags.scope,
      domains: flags.domain.map((domain) => domain.toLowerCase()),
      include: flags.include,
      exclude: flags.exclude,
      ...(flags.maxDepth === undefined ? {} : { max_depth: flags.maxDepth }),
    },
    priority: 0.5,
    politeness: {
      delay_ms: flags.delayMs,
      delay_factor: polite ? flags.delayFactor : 0,
      delay_cap_ms: LIMITS.delayCapMs,
      max_parallel: flags.maxParallel,
    },
    user_agent: flags.userAgent ?? defaultUserAgent(VERSION, flags.contact),
    product_token: DEFAULT_PRODUCT_TOKEN,
    embeds: flags.embeds ?? false,
    respect_rel_nofollow: flags.skipNofollow ?? false,
    ...fetchRulesOf(flags),
    ...(flags.sitemaps === undefined || flags.sitemaps === "robots" ? {} : { sitemaps: flags.sitemaps }),
    ...(flags.order === undefined || flags.order === "priority" ? {} : { order: flags.order }),
    ...(flags.maxPages === undefined ? {} : { max_pages: flags.maxPages }),
    ...(flags.contact === undefined ? {} : { contact: flags.contact }),
  };
  const problems = validateCrawlSpec(spec, { openedAddresses: flags.allowAddress.length > 0 });
  if (problems.length > 0) throw new Fault(problems.join("\n"), USAGE);
  return {
    crawlId: crawlIdOf(spec, digest),
    spec,
    // A crawl without delay may only go where the operator said so in as many words.
    openedCidrs: [...new Set([...flags.allowAddress, ...(polite ? openedBySeeds(seeds) : [])])],
  };
}

/** The same seeds and scope are the same crawl, whatever its budget and pace: so a second run goes on where the first stopped. */
function crawlIdOf(spec: CrawlSpec, digest: Digest): string {
  const identity = JSON.stringify([[...spec.seeds].sort(), spec.scope, spec.embeds]);
  return `crawl-${digest.sha256Hex(new TextEncoder().encode(identity)).slice(0, 12)}`;
}

/** Whoever types a loopback URL means this machine: just that address is opened, and only for that. */
function openedBySeeds(seeds: readonly string[]): string[] {
  return seeds.filter(isLoopbackUrl).flatMap((seed) => {
    const { hostname } = new URL(seed);
    if (/^[\d.]+$/.test(hostname)) return [`${hostname}/32`];
    return hostname === "[::1]" ? ["::1/128"] : ["127.0.0.1/32", "::1/128"];
  });
}
