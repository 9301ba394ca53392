/**
 * Judges of a crawl, over the synthetic web's request log and ground truth: what was asked, not what was reported.
 * Invariant: pure; every judge returns the violations it found, none = the rule was kept. Robots and pace are judged in
 * web_manners.ts.
 */

import type { GroundTruth, RequestEntry } from "../../bench/web/mod.ts";
import { isTrap } from "../../bench/web/resources.ts";

export interface Violation {
  readonly rule: string;
  /** One sentence: what was found, what is wanted. */
  readonly detail: string;
  readonly url: string;
}

export interface Coverage {
  /** Pages of the truth without an answer 200 (or 304). */
  readonly missing: readonly string[];
  /** Redirects and errors of the truth that were never asked for. */
  readonly unasked: readonly string[];
  readonly fetched: number;
}

/** Requests of this web's pages by canonical URL, in order of arrival; robots.txt and its hops left out. */
function byUrl(entries: readonly RequestEntry[], truth: GroundTruth): Map<string, RequestEntry[]> {
  const groups = new Map<string, RequestEntry[]>();
  for (const entry of entries) {
    if (entry.host < 0 || entry.kind === "robots" || entry.kind === "robots_hop") continue;
    const url = truth.url(entry.host, entry.path);
    const group = groups.get(url);
    if (group) group.push(entry);
    else groups.set(url, [entry]);
  }
  return groups;
}

const isPage = (entry: RequestEntry) => entry.status === 200 || entry.status === 304;

/** Was every page of the truth fetched, and every other URL of it asked for? */
export function coverageOf(entries: readonly RequestEntry[], truth: GroundTruth): Coverage {
  const groups = byUrl(entries, truth);
  const pages = [...truth.pages];
  const missing = pages.filter((url) => !groups.get(url)?.some(isPage));
  return {
    missing,
    unasked: [...truth.answers].filter((url) => !groups.has(url)),
    fetched: pages.length - missing.length,
  };
}

export function checkCoverage(entries: readonly RequestEntry[], truth: GroundTruth): Violation[] {
  const { missing, unasked } = coverageOf(entries, truth);
  return [
    ...missing.map((url) => ({ rule: "coverage", url, detail: "This page was never answered 200; once is wanted." })),
    ...unasked.map((url) => ({ rule: "coverage", url, detail: "This URL was never asked for; once is wanted." })),
  ];
}

export interface RepeatOptions {
  /** Tries of a URL that answers 5xx. Default 3. */
  readonly attempts?: number;
  /** Fetches that may be repeated over the whole crawl, because they were in flight at a kill. Default 0. */
  readonly inFlightAtKills?: number;
}

/** How often a resource may be asked for by a crawler that does all things once. */
function allowedRequests(entry: RequestEntry, attempts: number): number {
  if (entry.kind === "failing" || entry.kind === "flaky") return attempts;
  return entry.kind === "redirect_same_key" ? 2 : 1;
}

/** No resource is fetched twice under any spelling, but for retries of failures and redirects to the same key. */
export function checkRepeats(
  entries: readonly RequestEntry[],
  truth: GroundTruth,
  options: RepeatOptions = {},
): Violation[] {
  const violations = checkRobotsRepeats(entries, truth);
  let spare = options.inFlightAtKills ?? 0;
  for (const [url, group] of byUrl(entries, truth)) {
    const allowed = allowedRequests(group[0]!, options.attempts ?? 3);
    const surplus = Math.max(group.length - allowed, group.filter(isPage).length - 1);
    if (surplus <= 0) continue;
    if (surplus <= spare) {
      spare -= surplus;
      continue;
    }
    const targets = group.map((entry) => `${entry.target} ${entry.status}`).slice(0, 4).join(", ");
    violations.push({
      rule: "repeats",
      url,
      detail: `Asked ${group.length} times (${targets}); ${allowed} are allowed.`,
    });
  }
  return violations;
}

/** A verdict on robots.txt holds for the whole of a short crawl (RFC 9309 2.4). */
function checkRobotsRepeats(entries: readonly RequestEntry[], truth: GroundTruth): Violation[] {
  const verdicts = new Map<number, number>();
  for (const { kind, status, host } of entries) {
    const verdict = status >= 200 && status < 500 && status !== 429 && Math.floor(status / 100) !== 3;
    if (kind === "robots" && verdict) verdicts.set(host, (verdicts.get(host) ?? 0) + 1);
  }
  return [...verdicts].filter(([, count]) => count > 1).map(([host, count]) => ({
    rule: "repeats",
    url: truth.url(host, "/robots.txt"),
    detail: `robots.txt was answered ${count} times; once in 24 h is wanted.`,
  }));
}

export interface InventedOptions {
  /** Redirects that are followed from one URL. Default 5. */
  readonly redirectHops?: number;
}

const WELL_KNOWN = new Set(["/sitemap.xml", "/favicon.ico"]);

/** Nothing is asked for that no link leads to: links in comments and scripts, wrong resolutions, hops over the limit. */
export function checkInvented(
  entries: readonly RequestEntry[],
  truth: GroundTruth,
  options: InventedOptions = {},
): Violation[] {
  const violations: Violation[] = [];
  for (const entry of entries) {
    const why = inventedWhy(entry, options.redirectHops ?? 5);
    const url = entry.host < 0 ? `http://${entry.authority}${entry.target}` : truth.url(entry.host, entry.path);
    if (why) violations.push({ rule: "invented", url, detail: why });
  }
  return violations;
}

function inventedWhy(entry: RequestEntry, redirectHops: number): string | undefined {
  switch (entry.kind) {
    case "ghost":
      return `${entry.target} stands where no link is; it is not to be asked for.`;
    case "misdirected":
      return `Host ${entry.authority} isn't of this web.`;
    case "method":
      return `${entry.method} was sent; GET or HEAD is wanted.`;
    case "missing":
      return WELL_KNOWN.has(entry.path) ? undefined : `No link leads to ${entry.target}.`;
    case "hop": {
      const hop = Number(entry.path.split("/")[3]);
      return hop > redirectHops ? `Redirect ${hop} was followed; ${redirectHops} are allowed.` : undefined;
    }
    default:
      return undefined;
  }
}

/** Requests that went into traps. */
export function trapRequests(entries: readonly RequestEntry[]): number {
  return entries.filter((entry) => isTrap(entry.kind as Parameters<typeof isTrap>[0])).length;
}

/** Every request names the product token and how to reach the operator. */
export function checkIdentity(entries: readonly RequestEntry[], productToken: string, contact?: string): Violation[] {
  const violations: Violation[] = [];
  for (const { userAgent, authority, target } of entries) {
    const named = new RegExp(`(?:^|[\\s(;])${productToken}(?:/|[\\s;)]|$)`, "i").test(userAgent);
    if (named && (contact === undefined || userAgent.includes(contact))) continue;
    const wanted = contact === undefined ? productToken : `${productToken} and ${contact}`;
    const detail = `User-Agent was "${userAgent}"; ${wanted} is wanted.`;
    violations.push({ rule: "identity", url: `http://${authority}${target}`, detail });
  }
  return violations;
}
