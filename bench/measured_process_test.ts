import assert from "node:assert/strict";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { test } from "../tests/support/test.ts";
import { runArguments, spawnWeb } from "../tests/support/web_server.ts";
import { measure } from "./measured_process.ts";
import { groundTruth } from "./web/mod.ts";

test("the reference loop fetches every page of a plain web once, and is measured", async () => {
  const web = await spawnWeb({ hosts: 5, pages: 300, pageKb: 4, links: 20 });
  try {
    const file = fileURLToPath(new URL("reference_loop.ts", import.meta.url));
    const measured = await measure([process.execPath, ...runArguments(process.execPath, file), web.seed], {
      limitMs: 60_000,
    });
    assert.equal(measured.exitCode, 0);
    const told = JSON.parse(measured.stdout);
    assert.equal(told.pages, groundTruth(web.config).pages.size);
    assert.equal(told.failed, 0);
    assert.equal((await web.stats()).requests, 300);
    assert.ok(measured.cpuSeconds > 0 && measured.peakRssMb > 10, JSON.stringify(measured));
    assert.ok(told.seconds <= measured.wallSeconds);
  } finally {
    await web.stop();
  }
});

test("a process that doesn't end is killed and told in a sentence; an exit code is passed on", async () => {
  await assert.rejects(measure(["sleep", "60"], { limitMs: 100 }), /sleep 60 was run; it had not ended after 0.1 s/);
  assert.equal((await measure(["false"], { limitMs: 10_000 })).exitCode, 1);
});
