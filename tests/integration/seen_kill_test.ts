/** kill -9 on a process that writes and merges runs: the seen-set holds what was acknowledged, and nothing by half. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { execPath } from "node:process";
import { fileURLToPath } from "node:url";
import { openLibsqlShardStore } from "../../coordinator/store/libsql_shard_store.ts";
import { systemClock } from "../../runtime/node.ts";
import { testCore } from "../support/frontier.ts";
import { KILL_SETTINGS, killKeys, offersIn } from "../support/seen_kill_child.ts";
import { SeenWorld } from "../support/seen_world.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { RUNTIME, test } from "../support/test.ts";

/** Lines after which the child is killed, some moment later. */
const KILL_AFTER_LINES = [3, 40, 11, 70, 25, 52];

/** The whole lines that the child wrote before it was killed. */
function runUntilKilled(location: string, lines: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const path = fileURLToPath(new URL("../support/seen_kill_child.ts", import.meta.url));
    const flags = RUNTIME === "deno" ? ["run", "-A", path] : [path];
    const child = spawn(execPath, [...flags, location], { stdio: ["ignore", "pipe", "inherit"] });
    let out = "";
    let armed = false;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
      if (armed || out.split("\n").length <= lines) return;
      armed = true;
      systemClock.sleep(Math.random() * 10).then(() => child.kill("SIGKILL"));
    });
    child.on("error", reject);
    child.on("close", (_code, signal) => {
      if (signal === "SIGKILL") resolve(out.split("\n").slice(0, -1));
      else reject(new Error(`The child ended by itself after ${JSON.stringify(out)}; it was to be killed.`));
    });
  });
}

/** The offers that the store holds: all keys of each, none of the next. */
async function offersAfterKill(location: string): Promise<number> {
  const store = openLibsqlShardStore({ location, clock: systemClock });
  await store.open("checker", 1);
  try {
    const world = await SeenWorld.open({ core: await testCore(), store, settings: KILL_SETTINGS });
    const offers = offersIn(world);
    for (let n = 0; n <= offers; n++) {
      const screening = world.seen.screen(killKeys(n));
      await world.seen.settle(screening, store);
      assert.deepEqual(new Set(screening.verdicts), new Set([n < offers ? 1 : 0]), `offer ${n} of ${offers}`);
    }
    const { runs } = await store.seenState();
    assert.ok(offers < 10 || runs.length > 0, "runs were written");
    world.seen.free();
    return offers;
  } finally {
    await store.close();
  }
}

test(
  "kill -9 while runs are written and merged: nothing acknowledged is forgotten, nothing is seen that wasn't offered",
  async () => {
    const folder = temporaryFolder();
    const location = folder.file("frontier-0.db");
    try {
      let before = 0;
      for (const lines of KILL_AFTER_LINES) {
        const [start, ...acknowledged] = await runUntilKilled(location, lines);
        assert.equal(start, `start ${before}`, "the child goes on where the last one stopped");
        const last = Number(acknowledged.at(-1) ?? before);
        const found = await offersAfterKill(location);
        assert.ok(found === last || found === last + 1, `acknowledged ${last}, found ${found}`);
        before = found;
      }
      assert.ok(before > 100, `only ${before} offers in all`);
    } finally {
      await folder.remove();
    }
  },
  { timeoutMs: 120_000 },
);
