/**
 * Makes a CrawlSpec of a request and the server's defaults.
 * Invariant: the same request and defaults give the same spec, so that a repeated request resumes its crawl.
 */

import type { CrawlSpec, Politeness } from "../../protocol/mod.ts";
import { LIMITS } from "../../protocol/mod.ts";
import {
  DEFAULT_PRODUCT_TOKEN,
  defaultUserAgent,
  type SpecRules,
  validateCrawlId,
  validateCrawlSpec,
} from "../frontier/crawls/crawl_spec.ts";
import type { CrawlRequestBody } from "./crawl_schemas.ts";

export interface CrawlDefaults extends SpecRules {
  readonly version: string;
  /** The operator's contact, for crawls that name none. */
  readonly contact?: string;
}

/** The crawl that seeds join when they name none. */
export const DEFAULT_CRAWL_ID = "default";
/** Deep enough never to be met; from here a seed's own max_depth is counted backwards. */
const DEFAULT_CRAWL_DEPTH = 1000;

/** The spec, or one sentence for each thing that is wrong with the request. */
export function crawlSpecFrom(
  request: CrawlRequestBody,
  defaults: CrawlDefaults,
): { readonly spec: CrawlSpec } | { readonly problems: readonly string[] } {
  const contact = request.contact ?? defaults.contact;
  const { scope } = request;
  const spec: CrawlSpec = {
    seeds: request.seeds,
    scope: {
      kind: scope?.kind ?? "host",
      domains: scope?.domains ?? [],
      ...given("max_depth", scope?.max_depth),
      include: scope?.include ?? [],
      exclude: scope?.exclude ?? [],
    },
    priority: request.priority ?? 0.5,
    ...given("max_pages", request.max_pages),
    politeness: politenessFrom(request.politeness ?? {}),
    user_agent: request.user_agent ?? defaultUserAgent(defaults.version, contact),
    product_token: request.product_token ?? DEFAULT_PRODUCT_TOKEN,
    ...given("contact", contact),
    embeds: request.embeds ?? false,
    respect_rel_nofollow: request.respect_rel_nofollow ?? false,
    // The default is left out, so that naming it makes no other spec.
    ...given("order", request.order === "priority" ? undefined : request.order),
    ...given("sitemaps", request.sitemaps === "robots" ? undefined : request.sitemaps),
    ...given("content_types", request.content_types?.length === 0 ? undefined : request.content_types),
    ...given("cookies", request.cookies === false ? undefined : request.cookies),
    ...given("noarchive", request.noarchive === "mark" ? undefined : request.noarchive),
  };
  const problems = [
    ...(request.crawl_id === undefined ? [] : validateCrawlId(request.crawl_id)),
    ...validateCrawlSpec(spec, defaults),
  ];
  return problems.length > 0 ? { problems } : { spec };
}

/** A delay of 0 turns the factor off too: both are one promise. */
function politenessFrom(asked: Partial<Politeness>): Politeness {
  const delayMs = asked.delay_ms ?? LIMITS.delayMs;
  return {
    delay_ms: delayMs,
    delay_factor: delayMs === 0 ? 0 : asked.delay_factor ?? LIMITS.delayFactor,
    delay_cap_ms: asked.delay_cap_ms ?? LIMITS.delayCapMs,
    max_parallel: asked.max_parallel ?? 1,
  };
}

/** The spec of crawl "default": no seeds of its own; each seed request widens its scope by the hosts that it names. */
export function defaultCrawlSpec(defaults: CrawlDefaults): CrawlSpec {
  const made = crawlSpecFrom({ seeds: [], scope: { max_depth: DEFAULT_CRAWL_DEPTH } }, defaults);
  if ("problems" in made) throw new Error(`The server's defaults make no crawl: ${made.problems.join(" ")}`);
  return made.spec;
}

function given<K extends string, V>(name: K, value: V | undefined): { readonly [P in K]?: V } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [P in K]?: V };
}
