/**
 * Sites of many subdomains on a few addresses that link to each other, with redirects, retries, sitemaps and robots.txt
 * files that redirect; and whether limits were kept, as their servers saw it.
 */

import assert from "node:assert/strict";
import { missing, moved, page, type Script, type ScriptedSites, startSites, text } from "./scripted_sites.ts";

/** Every so many hosts one has a sitemap. */
export const SITEMAP_EVERY = 20;

export interface SitePlan {
  readonly hosts: number;
  readonly addresses: number;
  /** Host `i` is a subdomain of `domains[i % length]`. */
  readonly domains: readonly string[];
}

export interface Served {
  readonly address: number;
  readonly domain: string;
  readonly at: number;
  readonly path: string;
  endAt: number;
}

export interface Site {
  readonly log: Served[];
  hostOf(host: number): string;
  url(host: number, path?: string): string;
  /** Flags that make an edge find all of it. */
  readonly resolves: readonly string[];
  close(): Promise<void>;
}

/** Every answer takes 30 ms, so that requests under way at once can be seen. */
export async function startSite(plan: SitePlan): Promise<Site> {
  const { hosts, addresses, domains } = plan;
  const log: Served[] = [];
  const servers: ScriptedSites[] = [];
  const failed = new Set<string>();
  const hostOf = (i: number) => `s${i}.a${i % addresses}.${domains[i % domains.length]}`;
  const url = (host: number, path = "/") => servers[host % addresses]!.url(hostOf(host), path);
  const answer = (host: number, path: string): string => {
    const next = (host + 7) % hosts;
    if (path === "/robots.txt") {
      if (host % SITEMAP_EVERY === 7) return text(`Sitemap: ${url(host, "/map.xml")}\n`);
      return host % 10 === 3 ? moved(url(next, "/elsewhere.txt")) : missing();
    }
    if (path === "/map.xml") return text(`${url(host)}\n${url(next)}\n`);
    if (path === "/elsewhere.txt") return missing();
    if (path === "/away") return moved(url(next, "/"));
    if (path === "/" && host % 20 === 5 && !failed.has(`${host}`)) {
      failed.add(`${host}`);
      return "HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n";
    }
    return page(url((2 * host + 1) % hosts), url((2 * host + 2) % hosts), ...(host % 25 === 0 ? ["/away"] : []));
  };
  const script = (address: number): Script => async ({ host, path, at }, request) => {
    const number = Number(/^s(\d+)/.exec(host)![1]);
    const domain = domains[number % domains.length]!;
    const served: Served = { address, domain, at, path, endAt: Infinity };
    log.push(served);
    await new Promise((resolve) => setTimeout(resolve, 30));
    served.endAt = performance.now();
    await request.send(answer(number, path));
  };
  for (let i = 0; i < addresses; i++) servers.push(await startSites(script(i), addressOf(i)));
  const resolves = domains.flatMap((domain) =>
    Array.from({ length: addresses }, (_, i) => ["--resolve", `*.a${i}.${domain}=${addressOf(i)}`]).flat()
  );
  return { log, hostOf, url, resolves, close: async () => void await Promise.all(servers.map((some) => some.close())) };
}

export function addressOf(i: number): string {
  return `127.0.${i + 1}.1`;
}

/** No half-open window of `parallel x delayMs` holds more than `parallel` starts, and no more are under way at once. */
export function assertLimit(
  log: readonly Served[],
  limit: { readonly parallel: number; readonly delayMs: number },
  name: string,
): void {
  const { parallel, delayMs } = limit;
  for (const [i, first] of log.entries()) {
    const later = log[i + parallel];
    const ms = later === undefined ? Infinity : later.at - first.at;
    assert.ok(ms >= parallel * delayMs, `${name}: ${parallel + 1} starts within ${ms.toFixed(1)} ms, ${first.path}`);
    const underWay = log.filter((other) => other.at <= first.at && other.endAt > first.at).length;
    assert.ok(underWay <= parallel, `${name}: ${underWay} requests under way at once, ${first.path}`);
  }
}
