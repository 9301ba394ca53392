/** A scan that would never end, or take all memory, ends within its budget, is told so, and costs the next page nothing. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { execPath } from "node:process";
import { fileURLToPath } from "node:url";
import type { GreedyScan } from "../tests/support/greedy_scan_child.ts";
import { ENDLESS_BYTES, hostileArtefact, pageOf } from "../tests/support/hostile_core.ts";
import { test } from "../tests/support/test.ts";
import { runArguments } from "../tests/support/web_server.ts";
import { coreOf } from "./mod.ts";

const encoder = new TextEncoder();
const OPTIONS = { url: "http://e.example/" };
const CHILD = fileURLToPath(new URL("../tests/support/greedy_scan_child.ts", import.meta.url));

test("budget: an endless page is stopped, told, and the next one is scanned", async () => {
  const core = coreOf(await hostileArtefact());
  const scan = (bytes: number) => core.scan(encoder.encode(pageOf(bytes, "/x")), OPTIONS);
  const linksOf = (bytes: number) => scan(bytes).links.map(({ url }) => url);
  assert.deepEqual(linksOf(200), ["http://e.example/x"]);
  const from = performance.now();
  const facts = scan(ENDLESS_BYTES);
  assert.match(facts.failed ?? "", /took more than \d+ steps/);
  assert.deepEqual([facts.truncated, facts.links.length], [true, 0]);
  assert.ok(performance.now() - from < 20_000);
  assert.deepEqual(linksOf(ENDLESS_BYTES + 1), ["http://e.example/x"]);
});

// In a process of its own: among all tests Bun copies a memory at each growth, and what others left behind counts.
test("budget: a page that takes all memory gets 256 MB at most, and its instance goes with it", () => {
  const { stdout, status } = spawnSync(execPath, runArguments(execPath, CHILD), {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  assert.equal(status, 0);
  const { failed, grownBytes, nextLinks, nextFailed } = JSON.parse(stdout) as GreedyScan;
  assert.notEqual(failed, "");
  assert.doesNotMatch(failed, /steps/);
  assert.ok(grownBytes < 400e6, `${grownBytes} bytes more were resident`);
  assert.ok(grownBytes > 200e6, `${grownBytes} bytes more were resident: it didn't get its memory`);
  assert.deepEqual([nextLinks, nextFailed], [["http://e.example/x"], ""]);
});
