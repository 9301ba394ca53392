/**
 * May a URL be fetched under these rules?
 * Invariant: total; `/robots.txt` itself is always allowed (RFC 9309 2.2.2); no rule that matches means allowed.
 */

import { canonicalPath } from "./encoding.ts";
import type { RobotsRules } from "./parse.ts";
import { patternMatches } from "./pattern.ts";

export interface Decision {
  readonly allowed: boolean;
  /** The rule that decided, e.g. `Disallow: /private/`; undefined when none matched. */
  readonly rule: string | undefined;
  /** Its line, 1-based. */
  readonly line: number | undefined;
}

const NO_RULE: Decision = { allowed: true, rule: undefined, line: undefined };

const AUTHORITY = /^(?:(?:[A-Za-z][A-Za-z0-9+.-]*:)?\/\/)?[^/?;]*/;

/**
 * What of a URL is matched: path and query, without fragment; `/` when there is no path. `url` is absolute (http://…),
 * begins with its path, or (as google/robotstxt reads it) with a host name.
 */
export function matchPath(url: string): string {
  const hash = url.indexOf("#");
  const bare = hash < 0 ? url : url.slice(0, hash);
  const path = bare.slice(AUTHORITY.exec(bare)![0].length);
  return path.startsWith("/") ? path : `/${path}`;
}

/** Decides by the longest matching rule; Allow wins a tie (RFC 9309 2.2.2). */
export function decide(rules: RobotsRules, url: string): Decision {
  const path = canonicalPath(matchPath(url));
  if (path === "/robots.txt") return NO_RULE;
  const rule = rules.rules.find(({ pattern }) => patternMatches(pattern, path));
  if (!rule) return NO_RULE;
  return { allowed: rule.allow, rule: `${rule.allow ? "Allow" : "Disallow"}: ${rule.value}`, line: rule.line };
}
