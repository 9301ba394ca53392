import assert from "node:assert/strict";
import type { FrontierVerbs } from "../protocol/mod.ts";
import { test } from "../tests/support/test.ts";
import { VirtualClock } from "../tests/support/virtual_clock.ts";
import { countTroubles, tellingTrouble } from "./local_trouble.ts";

function counting() {
  const clock = new VirtualClock();
  const said: string[] = [];
  const ended: string[] = [];
  const { ofMachine, ofEdge } = countTroubles({
    clock,
    diskPatienceMs: 30_000,
    say: (line) => said.push(line),
    giveUp: (line) => ended.push(line),
  });
  return { clock, said, ended, ofMachine, ofEdge };
}

test("local trouble: what lasts ends the run once, and is told once", async () => {
  const { clock, said, ended, ofMachine } = counting();
  for (let second = 0; second < 30; second++) {
    ofMachine("The disk is full.");
    await clock.advance(1_000);
  }
  assert.deepEqual([said, ended], [["The disk is full."], []]);
  for (let second = 0; second < 10; second++) ofMachine("The disk is full.");
  assert.deepEqual([said, ended], [["The disk is full."], ["The disk is full."]]);
});

test("local trouble: many failures of one moment, and few that lie far apart, end nothing", async () => {
  const { clock, ended, ofMachine } = counting();
  for (let i = 0; i < 50; i++) ofMachine(`Page ${i} failed.`);
  for (let i = 0; i < 10; i++) {
    await clock.advance(61_000);
    ofMachine("The disk is full.");
  }
  assert.deepEqual(ended, []);
});

test("local trouble: a network that has worked is waited for, one that never did ends the run after a while", () => {
  const { said, ended, ofEdge } = counting();
  const down = { part: "link", sentence: "Nothing can be reached." } as const;
  for (const forMs of [0, 500, 3_600_000]) ofEdge({ ...down, forMs, hasWorked: true });
  assert.deepEqual([said, ended], [["Waiting: Nothing can be reached."], []]);
  for (const forMs of [0, 119_000]) ofEdge({ ...down, forMs, hasWorked: false });
  assert.deepEqual(ended, []);
  for (const forMs of [120_000, 150_000]) ofEdge({ ...down, forMs, hasWorked: false });
  assert.deepEqual(ended, ["Nothing can be reached."]);
});

test("local trouble: a frontier's failed commit is told, a refusal isn't; both reach the caller", async () => {
  const told: string[] = [];
  const full = Object.assign(new Error("Committing failed: the disk is full."), { code: "SQLITE_FULL" });
  const frontier = {
    complete: () => Promise.reject(full),
    lease: () => Promise.reject(new Error("Shard 0 is closed.")),
    permit: () => Promise.resolve({ granted: true }),
  } as unknown as FrontierVerbs;
  const telling = tellingTrouble(frontier, (sentence) => told.push(sentence));
  await assert.rejects(telling.complete({} as never), full);
  await assert.rejects(telling.lease({} as never), /is closed/);
  assert.deepEqual(await telling.permit({} as never), { granted: true });
  assert.deepEqual(told, [full.message]);
});
