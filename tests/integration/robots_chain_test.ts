/**
 * A robots.txt that redirects as often as it may, each time to another address: it is read, each host asked once.
 */

import assert from "node:assert/strict";
import { LIMITS } from "../../protocol/mod.ts";
import { runOutrider, summaryOf } from "../support/outrider_process.ts";
import { moved, page, type ScriptedSites, startSites, text } from "../support/scripted_sites.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";

const HOSTS = LIMITS.robotsRedirectHops + 1;

test("robots: a chain of redirects over as many addresses is followed to its end", async () => {
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
    const ended = await runOutrider([
      ...["crawl", url(0, "/"), "--json", "--data", folder.file("data"), "--contact", "ops@crawl.example"],
      ...["--delay-ms", "50", "--allow-address", "127.0.0.0/8", ...resolves],
    ]);
    assert.equal(summaryOf(ended).fetched, 1, ended.stderr);
    assert.deepEqual(sites.map(({ log }) => log.length), [2, ...Array(HOSTS - 1).fill(1)]);
  } finally {
    for (const site of sites) await site.close();
    await folder.remove();
  }
}, { timeoutMs: 30_000 });
