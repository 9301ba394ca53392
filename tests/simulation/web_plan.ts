/**
 * A small web by chance: domains with hosts on shared addresses, pages that link to each other, and what is wrong with them.
 * Invariant: what a crawl must find can be told from the plan alone (expected.ts): every page that fails by chance
 * fails no more often than a URL is tried, and every trap is ended by a rule of the door.
 */

import { LIMITS } from "../../protocol/mod.ts";
import { Chance } from "./chance.ts";

export type RobotsKind =
  /** 404: all allowed. */
  | "none"
  /** Forbids /private/. */
  | "rules"
  /** Forbids /private/ and asks for a Crawl-delay. */
  | "slow"
  /** Redirects to another host, which answers with rules. */
  | "elsewhere"
  /** Fails for the first few requests, then forbids /private/. */
  | "flapping";

export interface HostPlan {
  readonly name: string;
  readonly domain: string;
  readonly address: string;
  readonly robots: RobotsKind;
  /** Host that robots.txt leads to; only of kind `elsewhere`. */
  readonly robotsAt: string;
  /** ms from a request's arrival to the first byte of its answer: least and most. */
  readonly serviceMs: readonly [least: number, most: number];
  /** One way, ms. */
  readonly latencyMs: readonly [least: number, most: number];
  /** Its name resolves to nothing. */
  readonly isGone: boolean;
}

export type PageKind = "page" | "redirect" | "missing" | "text";

export interface PagePlan {
  /** WHATWG href as it is linked to in its plainest spelling. */
  readonly url: string;
  readonly host: string;
  readonly kind: PageKind;
  /** Spelt as pages spell them: absolute, with fragments, tracking parameters and dots. */
  readonly links: readonly string[];
  /** Of a redirect. */
  readonly location: string;
  /** Requests that fail before one succeeds; fewer than a URL is tried. */
  readonly failures: number;
}

export interface WebPlan {
  readonly hosts: ReadonlyMap<string, HostPlan>;
  readonly pages: ReadonlyMap<string, PagePlan>;
  readonly seeds: readonly string[];
}

/** Seconds of Crawl-delay of hosts whose robots.txt is `slow`. */
export const CRAWL_DELAY_S = 2;
/** Failed answers of a flapping robots.txt, at most. */
export const ROBOTS_FAILURES = 2;
/** Seconds of every Retry-After. */
export const RETRY_AFTER_S = 7;

const ROBOTS: readonly RobotsKind[] = ["none", "none", "rules", "rules", "slow", "elsewhere", "flapping"];

/** `isLarge`: few hosts, with many pages. */
export function planWeb(seed: number, isLarge: boolean): WebPlan {
  const chance = new Chance(seed);
  const hosts = planHosts(chance, isLarge ? 1 : 1 + chance.below(3), isLarge ? 2 : 6);
  const names = [...hosts.keys()];
  const urls = names.flatMap((host) => pathsOf(chance, isLarge).map((path) => `http://${host}${path}`));
  const pages = new Map<string, PagePlan>();
  let redirects = 0;
  for (const url of urls) {
    const page = planPage(chance, url, urls);
    if (page.kind === "redirect") redirects++;
    pages.set(url, redirects > LIMITS.redirectHops && page.kind === "redirect" ? { ...page, kind: "page" } : page);
  }
  const maps = urls.filter((url) => pages.get(url)!.links.length > 20);
  const live = urls.filter((url) => !hosts.get(new URL(url).hostname)!.isGone && pages.get(url)!.kind === "page");
  const seeds = Array.from({ length: 1 + chance.below(3) }, () => chance.pick(live.length > 0 ? live : urls));
  return { hosts, pages, seeds: [...new Set([...seeds, ...maps])] };
}

function planHosts(chance: Chance, domains: number, siblingsMost: number): Map<string, HostPlan> {
  const hosts = new Map<string, HostPlan>();
  const addresses = 1 + chance.below(3);
  for (let d = 0; d < domains; d++) {
    const siblings = 1 + chance.below(d === 0 ? siblingsMost : 3);
    for (let h = 0; h < siblings; h++) {
      const name = `h${h}.d${d}.example`;
      const isSlow = chance.is(0.1);
      hosts.set(name, {
        name,
        domain: `d${d}.example`,
        address: `198.51.100.${1 + chance.below(addresses)}`,
        robots: chance.pick(ROBOTS),
        robotsAt: `robots.d${domains - 1}.example`,
        serviceMs: isSlow ? [1_000, 12_000] : [5, 400],
        latencyMs: [1 + chance.below(20), 30 + chance.below(200)],
        isGone: h > 0 && chance.is(0.05),
      });
    }
  }
  const anyone = hosts.values().next().value!;
  const robotsHost = { ...anyone, name: anyone.robotsAt, domain: anyone.robotsAt.replace("robots.", "") };
  hosts.set(robotsHost.name, { ...robotsHost, robots: "none", isGone: false });
  return hosts;
}

function pathsOf(chance: Chance, isLarge: boolean): string[] {
  const count = isLarge || chance.is(0.05) ? 20 + chance.below(20) : 2 + chance.below(7);
  const paths = Array.from({ length: count }, (_, i) => i === 0 ? "/" : `/p${i}?a=1&b=${i}`);
  if (chance.is(0.5)) paths.push("/private/1");
  if (chance.is(0.3)) paths.push("/deep/");
  return paths;
}

function planPage(chance: Chance, url: string, urls: readonly string[]): PagePlan {
  const { hostname } = new URL(url);
  const kind = url.includes("/private/") || url.endsWith("/deep/")
    ? "page"
    : url.endsWith(".example/")
    ? "page"
    : chance.pick(["page", "page", "page", "page", "page", "redirect", "missing", "text"] as const);
  const targets = Array.from({ length: 1 + chance.below(8) }, () => spelt(chance, chance.pick(urls)));
  // A large host has a map of itself, so that its leases are long.
  const own = urls.filter((other) => other.startsWith(`http://${hostname}/`));
  if (own.length > 20 && url.endsWith(".example/")) targets.push(...own);
  // Ever deeper: the door refuses a segment that stands too often.
  if (url.endsWith("/deep/")) targets.push("deep/");
  return {
    url,
    host: hostname,
    kind,
    links: targets,
    location: chance.is(0.2) ? `${url}#again` : spelt(chance, chance.pick(urls)),
    failures: chance.is(0.25) ? 1 + chance.below(2) : 0,
  };
}

/** Another spelling of the same key. */
function spelt(chance: Chance, url: string): string {
  const join = url.includes("?") ? "&" : "?";
  switch (chance.below(6)) {
    case 0:
      return `${url}#top`;
    case 1:
      return `${url}${join}utm_source=feed`;
    case 2:
      return url.replace(".example/", ".example:80/./");
    default:
      return url;
  }
}
