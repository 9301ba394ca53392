/**
 * A robots.txt that redirects over more addresses than one lease may ask for: what it leads to is asked once, and then
 * left alone like any robots.txt that can't be had, not over and over.
 */

import assert from "node:assert/strict";
import { LIMITS } from "../../protocol/mod.ts";
import { spawnOutrider, summaryOf } from "../support/outrider_process.ts";
import { moved, page, type ScriptedSites, startSites, text } from "../support/scripted_sites.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";

const HOSTS = LIMITS.addressesPerLease + 1;

test("robots: a chain of redirects over too many addresses is asked once, and put off", async () => {
  const sites: ScriptedSites[] = [];
  const url = (i: number, path: string) => sites[i]!.url(`h.site${i}.test`, path);
  const script = (i: number) => ({ path }: { path: string }) => {
    if (path === "/") return page();
    return i + 1 < HOSTS ? moved(url(i + 1, "/rules")) : text("User-agent: *\nDisallow:\n");
  };
  for (let i = 0; i < HOSTS; i++) sites.push(await startSites(script(i), `127.0.90.${i + 1}`));
  const folder = temporaryFolder();
  try {
    const resolves = sites.flatMap((_, i) => ["--resolve", `*.site${i}.test=127.0.90.${i + 1}`]);
    const outrider = spawnOutrider([
      ...["crawl", url(0, "/"), "--json", "--data", folder.file("data"), "--contact", "ops@crawl.example"],
      ...["--delay-ms", "50", "--allow-address", "127.0.0.0/8", ...resolves],
    ]);
    await outrider.line(/"robots_unreachable":1/);
    outrider.kill("SIGINT");
    const summary = summaryOf(await outrider.ended);
    assert.deepEqual([summary.fetched, summary.dead, summary.queued], [0, 0, 1]);
    assert.deepEqual(sites.map(({ log }) => log.length), [...Array(HOSTS - 1).fill(1), 0]);
  } finally {
    for (const site of sites) await site.close();
    await folder.remove();
  }
}, { timeoutMs: 30_000 });
