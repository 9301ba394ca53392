/**
 * Manners of a fleet, measured at the server: a host's delay holds while its leases pass from edge to edge, and while
 * the coordinator is killed and comes back.
 */

import assert from "node:assert/strict";
import { Fleet } from "../support/fleet.ts";
import { gapsOf, missing, page, type Script, type ScriptedSites, startSites } from "../support/scripted_sites.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";

const TOLERANCE_MS = 2;
const EDGE_FLAGS = ["--allow-address", "127.0.0.1", "--resolve", "*.test=127.0.0.1"];

/** Page n links to page n + 1 alone: every lease holds one page. */
function chain(length: number): Script {
  return ({ path }) => {
    if (path === "/robots.txt") return missing();
    const number = Number(path.slice(1));
    return number < length ? page(`/${number + 1}`) : page();
  };
}

async function withFleet(work: (fleet: Fleet, sites: ScriptedSites) => Promise<void>, script: Script): Promise<void> {
  const folder = temporaryFolder();
  const coordinatorFlags = ["--contact", "ops@crawl.example"];
  const fleet = new Fleet({ folder, workers: ["eu-1", "us-1"], edgeFlags: EDGE_FLAGS, coordinatorFlags });
  const sites = await startSites(script);
  try {
    await fleet.start();
    await work(fleet, sites);
  } finally {
    await fleet.stop();
    await sites.close();
    await folder.remove();
  }
}

async function begin(fleet: Fleet, seeds: readonly string[], delayMs: number): Promise<string> {
  const politeness = { delay_ms: delayMs, delay_factor: 0 };
  const { crawl_id } = await fleet.api("/v1/crawls", { body: { seeds, politeness } });
  return String(crawl_id);
}

function assertGaps(sites: ScriptedSites, leastMs: number): void {
  for (const [index, gap] of gapsOf(sites.log).entries()) {
    assert.ok(gap >= leastMs - TOLERANCE_MS, `${sites.log[index + 1]!.path} came after ${gap.toFixed(1)} ms`);
  }
}

test(
  "fleet: a host's delay holds from lease to lease, whichever edge has it; its robots.txt is asked for once",
  async () => {
    await withFleet(async (fleet, sites) => {
      const stats = await fleet.untilFinished(await begin(fleet, [sites.url("a.test", "/0")], 200));
      assert.equal(stats.fetched, 16);
      assert.deepEqual(Object.keys(stats.leases_by_region as object).sort(), ["eu-1", "us-1"], "both had the host");
      assert.equal(sites.log.filter(({ path }) => path === "/robots.txt").length, 1, "the coordinator has it for both");
      assert.equal(sites.log.length, 17);
      assertGaps(sites, 200);
    }, chain(15));
  },
  { timeoutMs: 90_000 },
);

test(
  "fleet: kill -9 of the coordinator, again and again: delays hold, no page is fetched twice, a pause stays",
  async () => {
    const reached = new Map<number, () => void>();
    const reaching = (requests: number) => new Promise<void>((resolve) => reached.set(requests, resolve));
    let sites!: ScriptedSites;
    const pages = chain(14);
    const script: Script = (asked, request) => {
      reached.get(sites.log.length)?.();
      return pages(asked, request);
    };
    await withFleet(async (fleet, started) => {
      sites = started;
      const kill = async () => {
        fleet.coordinator!.kill("SIGKILL");
        await fleet.coordinator!.ended;
      };
      const first = reaching(4);
      const crawlId = await begin(fleet, [sites.url("a.test", "/0")], 300);
      await first;
      for (const requests of [7, 10]) {
        const next = reaching(requests);
        await kill();
        await fleet.startCoordinator();
        await next;
      }
      const policy = (paused: boolean) => fleet.api("/v1/hosts/a.test/policy", { method: "PUT", body: { paused } });
      await policy(true);
      await kill();
      await fleet.startCoordinator();
      const stats = await fleet.api(`/v1/crawls/${crawlId}/stats`);
      assert.equal(stats.state, "running");
      await policy(false);
      await fleet.untilFinished(crawlId);
      assertGaps(sites, 300);
      const paths = sites.log.map(({ path }) => path);
      assert.equal(new Set(paths).size, paths.length, `${paths}`);
      assert.equal(paths.length, 16);
    }, script);
  },
  { timeoutMs: 120_000 },
);
