/**
 * The same command again, and not quite the same: with a wider budget, another pace, on a disk that was full. What was
 * fetched stays and isn't fetched again.
 */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { groundTruth } from "../../bench/web/mod.ts";
import { checkIndex, checkPages } from "../support/crawl_output.ts";
import { runOutrider, summaryOf } from "../support/outrider_process.ts";
import { MOUNT_ABSENT, mountDisk, resizeDisk, unmountDisk } from "../support/small_disk.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";
import { checkRepeats } from "../support/web_checks.ts";
import { spawnWeb } from "../support/web_server.ts";

const FAST = ["--delay-ms", "0", "--allow-address", "127.0.0.0/8", "--json"];

test("resume: another budget and another pace go on where the last run ended", async () => {
  const web = await spawnWeb({ hosts: 1, pages: 40, features: [] });
  const folder = temporaryFolder();
  const crawl = async (...flags: string[]) => {
    const ended = await runOutrider(["crawl", web.seed, "--data", folder.path, ...flags]);
    return { code: ended.code, ...summaryOf(ended) } as { code: number; pages: number; ended: string };
  };
  try {
    const first = await crawl(...FAST, "--max-pages", "10");
    assert.deepEqual([first.code, first.pages, first.ended], [0, 10, "finished"]);
    const wider = await crawl(...FAST, "--max-pages", "25");
    assert.deepEqual([wider.code, wider.pages, wider.ended], [0, 25, "finished"]);
    const slower = await crawl("--delay-ms", "5", "--delay-factor", "0", "--json");
    assert.deepEqual([slower.code, slower.ended], [0, "finished"]);
    assert.ok(slower.pages > 25);
    assert.deepEqual(await crawl(...FAST).then(({ code, pages }) => [code, pages]), [0, slower.pages]);
    assert.equal(checkPages(folder.path).filter(({ status }) => status < 300).length, slower.pages);
    checkIndex(folder.path);
    assert.deepEqual(checkRepeats(await web.log(), groundTruth(web.config)), []);
  } finally {
    await folder.remove();
    await web.stop();
  }
});

test("resume: a full disk ends the crawl in a sentence, and with room again it comes to its end", async () => {
  const web = await spawnWeb({ hosts: 4, pages: 400, pageKb: 8, features: [] });
  const folder = temporaryFolder();
  const disk = folder.file("disk");
  assert.ok(mountDisk(disk, "900k"));
  const command = [
    "crawl",
    web.seed,
    "--scope",
    "any",
    ...FAST,
    "--disk-patience-ms",
    "2000",
    "--data",
    `${disk}/data`,
  ];
  try {
    const full = await runOutrider(command);
    assert.deepEqual([full.code, summaryOf(full).resumable], [1, true], full.stderr);
    assert.equal(summaryOf(full).state, "paused");
    assert.match(full.stdout, /the disk is full/);
    assert.doesNotMatch(full.stderr, /\n +at /);
    assert.deepEqual(readdirSync(`${disk}/data`).filter((name) => name.endsWith(".tmp")), []);
    resizeDisk(disk, "100m");
    const roomy = await runOutrider(command);
    assert.deepEqual([roomy.code, summaryOf(roomy).state], [0, "finished"], roomy.stderr);
    const pages = checkPages(`${disk}/data`);
    assert.equal(pages.filter(({ status }) => status < 300).length, summaryOf(roomy).pages);
    checkIndex(`${disk}/data`);
  } finally {
    unmountDisk(disk);
    await folder.remove();
    await web.stop();
  }
}, { skip: MOUNT_ABSENT, timeoutMs: 120_000 });
