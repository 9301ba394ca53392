/** kill -9 on a process that writes and merges runs: the seen-set holds what was acknowledged, and nothing by half. */

import assert from "node:assert/strict";
import { openLibsqlShardStore } from "../../coordinator/store/libsql_shard_store.ts";
import { systemClock } from "../../runtime/node.ts";
import { testCore } from "../support/frontier.ts";
import { linesUntilKilled } from "../support/kills.ts";
import { KILL_SETTINGS, killKeys, offersIn } from "../support/seen_kill_child.ts";
import { SeenWorld } from "../support/seen_world.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";

/** Lines after which the child is killed, some moment later. */
const KILL_AFTER_LINES = [3, 40, 11, 70, 25, 52];

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
        const [start, ...acknowledged] = await linesUntilKilled("seen_kill_child.ts", [location], lines);
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
