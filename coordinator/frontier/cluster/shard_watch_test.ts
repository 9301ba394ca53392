/** What is known of another owner's clock. */

import assert from "node:assert/strict";
import { test } from "../../../tests/support/test.ts";
import { ShardWatch } from "./shard_watch.ts";

function look(watch: ShardWatch, beat: number, clocks: { readonly owner: number; readonly own: number }): void {
  const seen = { owner: "a", ownerTerm: 1, batchSeq: beat, ownerWallMs: clocks.owner } as Parameters<
    ShardWatch["see"]
  >[0];
  watch.see(seen, { beganMs: beat * 1_000, endedMs: beat * 1_000, wallMs: clocks.own });
}

test("clocks: an owner's that was set back, or the watcher's that was set forward, is known some beats later", () => {
  for (const [ownerStep, ownStep] of [[-60_000, 0], [0, 60_000]] as const) {
    const watch = new ShardWatch();
    let [owner, own] = [1_000_000, 1_000_000];
    for (let beat = 0; beat < 10; beat++) {
      look(watch, beat, { owner, own: own + beat % 3 });
      owner += 1_000;
      own += 1_000;
    }
    assert.deepEqual(watch.lead, { ms: 0, afterMs: 0, isKnown: true });
    owner += ownerStep;
    own += ownStep;
    for (let beat = 10; beat < 13; beat++) look(watch, beat, { owner: owner += 1_000, own: own += 1_000 });
    assert.equal(watch.lead.ms, 60_000);
  }
});

test("clocks: of an owner that was never seen to beat the difference is what it may be, for what was still to come", () => {
  for (const [differenceMs, ms] of [[-5_000, 0], [3_000, 3_000], [3_600_000, 60_000]] as const) {
    const watch = new ShardWatch();
    for (const at of [0, 1, 2]) {
      const seen = { owner: "a", ownerTerm: 1, batchSeq: 7, ownerWallMs: 1_000_000 } as Parameters<
        ShardWatch["see"]
      >[0];
      watch.see(seen, { beganMs: at * 1_000, endedMs: at * 1_000, wallMs: 1_000_000 + differenceMs + at * 1_000 });
    }
    assert.deepEqual(watch.lead, { ms, afterMs: 1_000_000, isKnown: false });
    watch.forget();
    assert.deepEqual(watch.lead, { ms: 0, afterMs: 0, isKnown: true });
  }
});
