import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { systemClock } from "../../runtime/node.ts";
import { createTurns } from "./turns.ts";

test("turns: of what comes at once one goes on at once, then one with each turn of the loop, in order", async () => {
  let ticks: (() => void)[] = [];
  const turn = createTurns({ sleep: () => new Promise((resolve) => void ticks.push(resolve)) });
  const passed: number[] = [];
  const ask = async (number: number) => {
    await turn();
    passed.push(number);
  };
  const all = [1, 2, 3].map(ask);
  for (const wanted of [[1], [1, 2], [1, 2, 3]]) {
    await systemClock.sleep(0);
    assert.deepEqual(passed, wanted);
    const due = ticks;
    ticks = [];
    assert.equal(due.length, 1, "one wait at a time");
    due[0]!();
  }
  await Promise.all(all);
  await systemClock.sleep(0);
  assert.deepEqual(ticks, [], "nobody waits, so nothing is waited for");
  await ask(4);
  assert.deepEqual(passed, [1, 2, 3, 4]);
});
