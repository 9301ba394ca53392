/**
 * Which URLs belong to a crawl: its seeds' hosts, domains or folders, extra domains, and patterns.
 * Invariant: pure; the same CrawlSpec and extra hosts give the same answer on every shard and after every restart.
 */

import type { CrawlSpec, HostKey, Scope } from "../../../protocol/mod.ts";

export type ScopeReason = "scope" | "include" | "exclude" | "max_depth";

/** The facts of a URL that scope looks at. */
export interface ScopedUrl {
  readonly href: string;
  readonly host: HostKey;
  readonly domain: string;
}

export interface ScopeRules {
  /** False: no URL of this host can be in scope, whatever its path. */
  readonly admitsHost: (host: HostKey, domain: string) => boolean;
  /** Why the URL is refused, undefined = in scope. Seeds are exempt from `include`. */
  readonly reason: (url: ScopedUrl, depth: number, isSeed: boolean) => ScopeReason | undefined;
  /** What joins the extra hosts when a seed redirects to this URL: its host, and for prefix scope its folder too. */
  readonly extraOf: (url: ScopedUrl) => string;
}

const CACHED_HOSTS = 50_000;

/** Compiles the patterns; an invalid one is an Error whose message is a sentence. */
export function compilePatterns(name: "include" | "exclude", sources: readonly string[]): RegExp[] {
  return sources.map((source) => {
    try {
      return new RegExp(source, "u");
    } catch (error) {
      const found = error instanceof Error ? error.message : String(error);
      throw new Error(
        `Reading the ${name} pattern ${JSON.stringify(source)}: ${found}; wanted a JavaScript regular expression.`,
      );
    }
  });
}

/** host + folder of a href: `https://e.org/a/b.html?q` -> `e.org/a/`. */
export function folderOf(url: ScopedUrl): string {
  const path = pathOf(url.href);
  return url.host + path.slice(0, path.lastIndexOf("/") + 1);
}

function pathOf(href: string): string {
  const start = href.indexOf("/", href.indexOf("://") + 3);
  if (start < 0) return "/";
  const query = href.indexOf("?", start);
  return query < 0 ? href.slice(start) : href.slice(start, query);
}

/**
 * The rules of one crawl. `seeds` are the facts of its seeds, `extras` what joined since (CrawlRow.extraHosts):
 * host keys, or host + folder for prefix scope.
 */
export function scopeRules(
  spec: Pick<CrawlSpec, "scope">,
  seeds: readonly ScopedUrl[],
  extras: readonly { readonly entry: string; readonly host: HostKey; readonly domain: string }[],
): ScopeRules {
  const { scope } = spec;
  const include = compilePatterns("include", scope.include);
  const exclude = compilePatterns("exclude", scope.exclude);
  const hosts = new Set([...seeds, ...extras].map((url) => url.host));
  const domains = new Set([...seeds, ...extras].map((url) => url.domain));
  const folders = [...new Set([...seeds.map(folderOf), ...extras.map((extra) => folderEntry(extra.entry))])];
  const below = scope.domains.map((host) => host.toLowerCase());
  const isExtraDomain = (host: HostKey) => below.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
  const byHost = cachedByHost((host, domain) => {
    if (scope.kind === "any" || isExtraDomain(host)) return true;
    return scope.kind === "domain" ? domains.has(domain) : hosts.has(host);
  });
  const inFolder = (url: ScopedUrl) => {
    const place = url.host + pathOf(url.href);
    return folders.some((folder) => place.startsWith(folder)) || isExtraDomain(url.host);
  };
  return {
    admitsHost: byHost,
    extraOf: (url) => scope.kind === "prefix" ? folderOf(url) : url.host,
    reason(url, depth, isSeed) {
      if (!byHost(url.host, url.domain)) return "scope";
      if (scope.kind === "prefix" && !inFolder(url)) return "scope";
      return patternReason(url.href, { include: isSeed ? [] : include, exclude }) ?? depthReason(scope, depth);
    },
  };
}

function folderEntry(entry: string): string {
  return entry.includes("/") ? entry : `${entry}/`;
}

function patternReason(
  href: string,
  patterns: { readonly include: readonly RegExp[]; readonly exclude: readonly RegExp[] },
): ScopeReason | undefined {
  if (patterns.exclude.some((pattern) => pattern.test(href))) return "exclude";
  if (patterns.include.length > 0 && !patterns.include.some((pattern) => pattern.test(href))) return "include";
  return undefined;
}

function depthReason(scope: Scope, depth: number): ScopeReason | undefined {
  return scope.max_depth !== undefined && depth > scope.max_depth ? "max_depth" : undefined;
}

function cachedByHost(decide: (host: HostKey, domain: string) => boolean): ScopeRules["admitsHost"] {
  const known = new Map<HostKey, boolean>();
  return (host, domain) => {
    let answer = known.get(host);
    if (answer === undefined) {
      answer = decide(host, domain);
      if (known.size >= CACHED_HOSTS) known.clear();
      known.set(host, answer);
    }
    return answer;
  };
}
