/**
 * What a synthetic web is made of: sizes, features, seed.
 * Invariant: two equal configurations are the same web, byte for byte, on every runtime and in every process.
 */

/** Features under which a crawl comes to its end without long waits. */
export const FINISHING = [
  /** robots.txt of many kinds: groups, wildcards, absent, forbidden, redirected, huge, with BOM. */
  "robots",
  /** Chains, loops, over-long chains, bad schemes, targets behind another host's robots.txt. */
  "redirects",
  /** 401, 403, 404, 410. */
  "errors",
  /** Exact and near duplicates under their own URL. */
  "duplicates",
  /** Links that spell one URL in odd ways. */
  "spellings",
  /** Links in comments, scripts, textareas, data: and javascript: URLs. */
  "hidden",
  /** base href, meta refresh, nofollow, noindex. */
  "directives",
  /** Calendars of months and of days, session ids, a path and a query that grow. */
  "traps",
  /** deflate, br, chunked and identity beside gzip. */
  "encodings",
  /** Pages in legacy charsets with non-ASCII queries. */
  "charsets",
  /** PDF, PNG, JSON, plain text. */
  "files",
  /** An empty page, a page of 3 MB, gzip that is cut off. */
  "oddities",
] as const;

/** Features that make a polite crawler wait: retries of failing pages, origins whose robots.txt blocks everything. */
export const WAITING = [
  /** 500 for ever, 503 with Retry-After for the first requests of a page. */
  "failures",
  /** Answers that take `slowMs`. */
  "slow",
  /** robots.txt: 503 once, then fine. */
  "robots_recovering",
  /** robots.txt: 503, 429, a redirect loop or a dropped connection for ever: such a crawl never finishes. */
  "robots_blocked",
] as const;

export type Feature = (typeof FINISHING)[number] | (typeof WAITING)[number];

export const FEATURES: readonly Feature[] = [...FINISHING, ...WAITING];

export type HostForm = "name" | "address";

export interface WebConfig {
  readonly seed: number;
  readonly hosts: number;
  /** Over all hosts, at least one each. */
  readonly pages: number;
  /** Mean size of a page before coding, KB of 1,024 bytes. */
  readonly pageKb: number;
  /** Links of an ordinary page, about. */
  readonly links: number;
  readonly features: readonly Feature[];
  /** How links name hosts: `h17.web.test` or `127.0.1.18`. The server answers to both. */
  readonly hostForm: HostForm;
  /** The port that links name; 0 until the server listens. */
  readonly port: number;
  /** Every answer waits this long. */
  readonly latencyMs: number;
  /** Slow pages wait this long. */
  readonly slowMs: number;
  /** Share of ordinary pages in a hundred that are faulty, where `errors` or `failures` are on. */
  readonly faultPercent: number;
  /** Pages of every trap. */
  readonly trapPages: number;
  /** Answer with gzip where it is accepted. */
  readonly gzip: boolean;
}

export const DEFAULT_WEB: WebConfig = {
  seed: 1,
  hosts: 200,
  pages: 20_000,
  pageKb: 19,
  links: 60,
  features: [],
  hostForm: "address",
  port: 0,
  latencyMs: 0,
  slowMs: 300,
  faultPercent: 6,
  trapPages: 200,
  gzip: true,
};

/** The defaults with `changes`. Throws a sentence when a value makes no web. */
export function webConfig(changes: Partial<WebConfig> = {}): WebConfig {
  const config = { ...DEFAULT_WEB, ...changes };
  const whole: (keyof WebConfig)[] = ["seed", "hosts", "pages", "links", "port", "latencyMs", "slowMs", "trapPages"];
  for (const name of whole) {
    const value = config[name] as number;
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new RangeError(`The synthetic web's ${name} is ${value}; a whole number of 0 or more is wanted.`);
    }
  }
  if (config.hosts < 1 || config.hosts > 60_000) {
    throw new RangeError(`The synthetic web has ${config.hosts} hosts; 1 to 60,000 are wanted.`);
  }
  if (config.pages < config.hosts) {
    throw new RangeError(`The synthetic web has ${config.pages} pages on ${config.hosts} hosts; at least one each.`);
  }
  return config;
}

/** `all`, `none`, `finishing`, or names joined by commas. */
export function parseFeatures(text: string): readonly Feature[] {
  if (text === "all") return FEATURES;
  if (text === "none" || text === "") return [];
  const names = text.split(",").flatMap((name) => (name === "finishing" ? [...FINISHING] : [name]));
  const unknown = names.filter((name) => !(FEATURES as readonly string[]).includes(name));
  if (unknown.length > 0) {
    throw new RangeError(`Features ${unknown.join(", ")} are unknown; known are ${FEATURES.join(", ")}.`);
  }
  return names as Feature[];
}
