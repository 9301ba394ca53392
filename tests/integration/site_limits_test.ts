/**
 * One site of 200 subdomains on 20 addresses, and three edges that work for one crawl: measured at the servers, the site
 * as a whole and each address are asked no faster than their limits say, every request counted - pages, redirects,
 * retries, sitemaps, robots.txt and its redirects - and an operator finds, pauses, slows and frees all of it with one call each.
 */

import assert from "node:assert/strict";
import { Fleet } from "../support/fleet.ts";
import { addressOf, assertLimit, type Site, SITEMAP_EVERY, startSite } from "../support/one_site.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";

const ADDRESSES = 20;
const HOSTS = 200;
const SITE = { parallel: 4, delayMs: 25 };
const ADDRESS = { parallel: 2, delayMs: 150 };
const PLAN = { hosts: HOSTS, addresses: ADDRESSES, domains: ["site.test"] };

test("site: 200 subdomains on 20 addresses and three edges keep the site's and each address' limit", async () => {
  const folder = temporaryFolder();
  const site = await startSite(PLAN);
  const fleet = new Fleet({
    folder,
    workers: ["eu-1", "us-1", "ap-1"],
    edgeFlags: ["--allow-address", "127.0.0.0/8", ...site.resolves],
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
      assertLimit(site.log.filter(({ address }) => address === i), ADDRESS, addressOf(i));
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
  const path = `/v1/domains/${site.hostOf(3)}`;
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
