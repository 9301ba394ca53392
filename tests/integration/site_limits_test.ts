/**
 * One site of 200 subdomains on 20 addresses, and three edges that work for one crawl: measured at the servers, the site
 * as a whole and each address are asked no faster than their limits say, every request counted - pages, redirects,
 * retries, sitemaps, robots.txt and its redirects - and an operator finds, pauses, slows and frees all of it with one call each.
 */

import assert from "node:assert/strict";
import { Fleet } from "../support/fleet.ts";
import { missing, moved, page, type Script, type ScriptedSites, startSites, text } from "../support/scripted_sites.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";

const ADDRESSES = 20;
const HOSTS = 200;
/** Every so many hosts one has a sitemap. */
const SITEMAP_EVERY = 20;
const SITE = { parallel: 4, delayMs: 25 };
const ADDRESS = { parallel: 2, delayMs: 150 };

const hostOf = (i: number) => `s${i}.a${i % ADDRESSES}.site.test`;

interface Served {
  readonly address: number;
  readonly at: number;
  readonly path: string;
  endAt: number;
}

interface Site {
  readonly log: Served[];
  url(host: number, path?: string): string;
  close(): Promise<void>;
}

/** Every answer takes 30 ms, so that requests under way at once can be seen. */
async function startSite(): Promise<Site> {
  const log: Served[] = [];
  const servers: ScriptedSites[] = [];
  const failed = new Set<string>();
  const url = (host: number, path = "/") => servers[host % ADDRESSES]!.url(hostOf(host), path);
  const answer = (host: number, path: string): string => {
    const next = (host + 7) % HOSTS;
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
    return page(url((2 * host + 1) % HOSTS), url((2 * host + 2) % HOSTS), ...(host % 25 === 0 ? ["/away"] : []));
  };
  const script = (address: number): Script => async ({ host, path, at }, request) => {
    const served: Served = { address, at, path, endAt: Infinity };
    log.push(served);
    await new Promise((resolve) => setTimeout(resolve, 30));
    served.endAt = performance.now();
    await request.send(answer(Number(/^s(\d+)/.exec(host)![1]), path));
  };
  for (let i = 0; i < ADDRESSES; i++) servers.push(await startSites(script(i), `127.0.${i + 1}.1`));
  return { log, url, close: async () => void await Promise.all(servers.map((server) => server.close())) };
}

/** No half-open window of `parallel x delayMs` holds more than `parallel` starts, and no more are under way at once. */
function assertLimit(log: readonly Served[], limit: { parallel: number; delayMs: number }, name: string): void {
  const { parallel, delayMs } = limit;
  for (const [i, first] of log.entries()) {
    const later = log[i + parallel];
    const ms = later === undefined ? Infinity : later.at - first.at;
    assert.ok(ms >= parallel * delayMs, `${name}: ${parallel + 1} starts within ${ms.toFixed(1)} ms, ${first.path}`);
    const underWay = log.filter((other) => other.at <= first.at && other.endAt > first.at).length;
    assert.ok(underWay <= parallel, `${name}: ${underWay} requests under way at once, ${first.path}`);
  }
}

const resolves = Array.from({ length: ADDRESSES }, (_, i) => ["--resolve", `*.a${i}.site.test=127.0.${i + 1}.1`]);

test("site: 200 subdomains on 20 addresses and three edges keep the site's and each address' limit", async () => {
  const folder = temporaryFolder();
  const site = await startSite();
  const fleet = new Fleet({
    folder,
    workers: ["eu-1", "us-1", "ap-1"],
    edgeFlags: ["--allow-address", "127.0.0.0/8", ...resolves.flat()],
    coordinatorFlags: [
      ...["--contact", "ops@crawl.example"],
      ...["--domain-parallel", `${SITE.parallel}`, "--domain-delay-ms", `${SITE.delayMs}`],
      ...["--address-parallel", `${ADDRESS.parallel}`, "--address-delay-ms", `${ADDRESS.delayMs}`],
    ],
  });
  try {
    await fleet.start();
    const politeness = { delay_ms: 50, delay_factor: 0 };
    const scope = { kind: "domain", domains: ["site.test"] };
    const { crawl_id } = await fleet.api("/v1/crawls", { body: { seeds: [site.url(0)], politeness, scope } });
    await reached(site, 60);
    await pauseAndFree(fleet, site);
    const stats = await fleet.untilFinished(String(crawl_id));
    const sitemaps = HOSTS / SITEMAP_EVERY;
    assert.deepEqual([stats.fetched, stats.sitemaps, stats.dead], [HOSTS, sitemaps, 0], JSON.stringify(stats));
    assert.equal(site.log.filter(({ path }) => path === "/map.xml").length, sitemaps);
    assertLimit(site.log, SITE, "site.test");
    for (let i = 0; i < ADDRESSES; i++) {
      assertLimit(site.log.filter(({ address }) => address === i), ADDRESS, `127.0.${i + 1}.1`);
    }
  } finally {
    await fleet.stop();
    await site.close();
    await folder.remove();
  }
}, { timeoutMs: 150_000 });

async function reached(site: Site, requests: number): Promise<void> {
  while (site.log.length < requests) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function pauseAndFree(fleet: Fleet, site: Site): Promise<void> {
  const path = `/v1/domains/${hostOf(3)}`;
  const policy = (body: Record<string, unknown>) => fleet.api(`${path}/policy`, { method: "PUT", body });
  let seen = await policy({ paused: true });
  assert.equal(seen.domain, "site.test");
  assert.ok((seen.hosts as number) > 20 && (seen.addresses as string[]).length > 10, JSON.stringify(seen));
  while ((seen.leases_out as string[]).length > 0) seen = await fleet.api(path);
  const asked = site.log.length;
  await new Promise((resolve) => setTimeout(resolve, 700));
  assert.equal(site.log.length, asked, "nothing is asked of a paused site");
  await policy({ paused: false, min_delay_ms: 200 });
  const slowFrom = site.log.length;
  await reached(site, slowFrom + 6);
  assertLimit(site.log.slice(slowFrom), { parallel: SITE.parallel, delayMs: 200 }, "slowed");
  await policy({ min_delay_ms: 0 });
}
