/**
 * Two sites on common addresses, two coordinators that own a shard each, three edges: measured at the servers, each site
 * and each address is asked no faster than its limits say, although every second address, and every robots.txt that
 * redirects, is another coordinator's than the lease. OUTRIDER_SITE_HOSTS=200 for as many hosts as with one coordinator.
 */

import assert from "node:assert/strict";
import process from "node:process";
import { evenSlotMap, LIMITS, shardOf } from "../../protocol/mod.ts";
import { Fleet } from "../support/fleet.ts";
import { addressOf, assertLimit, type Served, SITEMAP_EVERY, startSite } from "../support/one_site.ts";
import { serveCluster } from "../support/served_cluster.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";
import { slotOfName } from "../support/two_coordinators.ts";

const HOSTS = Number(process.env.OUTRIDER_SITE_HOSTS ?? 30);
const ADDRESSES = 20;
const SITE = { parallel: 4, delayMs: 25 };
const ADDRESS = { parallel: 2, delayMs: 150 };
const WORKERS = ["eu-1", "us-1", "ap-1"];

/** A registered domain of each shard. */
async function twoDomains(): Promise<string[]> {
  const domains: string[] = [];
  for (let i = 0; domains.length < 2; i++) {
    const shard = shardOf(evenSlotMap(2), await slotOfName(`site${i}.test`));
    if (shard === domains.length) domains.push(`site${i}.test`);
  }
  return domains;
}

function assertLimits(log: readonly Served[], domains: readonly string[]): void {
  for (const domain of domains) assertLimit(log.filter((served) => served.domain === domain), SITE, domain);
  for (let i = 0; i < ADDRESSES; i++) {
    assertLimit(log.filter(({ address }) => address === i), ADDRESS, addressOf(i));
  }
}

test(`site: ${HOSTS} subdomains of two sites keep their limits over two coordinators`, async () => {
  const folder = temporaryFolder();
  const domains = await twoDomains();
  const site = await startSite({ hosts: HOSTS, addresses: ADDRESSES, domains });
  const cluster = await serveCluster({
    coordinators: 2,
    shards: 2,
    tokens: ["operator:op-secret", ...WORKERS.map((worker) => `edge:${worker}:${worker}-secret`)].join(" "),
    settings: {
      limits: {
        ...LIMITS,
        domainInFlight: SITE.parallel,
        domainGapMs: SITE.delayMs,
        ipInFlight: ADDRESS.parallel,
        ipGapMs: ADDRESS.delayMs,
      },
    },
  });
  const [first, second] = cluster.nodes;
  const fleet = new Fleet({
    folder,
    workers: WORKERS,
    edgeFlags: ["--coordinator", second!.url, "--allow-address", "127.0.0.0/8", ...site.resolves],
  });
  fleet.base = first!.url.replace(/\/$/, "");
  try {
    for (const worker of WORKERS) fleet.startEdge(worker);
    const politeness = { delay_ms: 50, delay_factor: 0 };
    const scope = { kind: "domain", domains };
    const { crawl_id } = await fleet.api("/v1/crawls", { body: { seeds: [site.url(0)], politeness, scope } });
    const stats = await fleet.untilFinished(String(crawl_id));
    const sitemaps = Array.from({ length: HOSTS }, (_, i) => i).filter((i) => i % SITEMAP_EVERY === 7).length;
    assert.deepEqual([stats.fetched, stats.sitemaps, stats.dead], [HOSTS, sitemaps, 0], JSON.stringify(stats));
    assertLimits(site.log, domains);
  } finally {
    await fleet.stop();
    await cluster.close();
    await site.close();
    await folder.remove();
  }
}, { timeoutMs: 300_000 });
