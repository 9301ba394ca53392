import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { RUNTIME, test } from "../support/test.ts";
import { type Hunt, hunt, mutated } from "./mutate.ts";
import { MUTATIONS } from "./mutations.ts";

/** Caught by a few seeds each; `deno task simulate --mutations` hunts them all. */
const QUICK = RUNTIME === "deno"
  ? ["drops the fence: a lease that is over may still complete", "counts accepted outlinks twice"]
  : ["leases a host while a lease of it is out", "skips the robots check"];
const MOST_SEEDS = 60;

test("every mutation fits the sources once, and changes them", () => {
  for (const mutation of MUTATIONS) {
    const text = readFileSync(mutation.file, "utf8");
    assert.notEqual(mutated(text, mutation), text, mutation.name);
  }
  assert.equal(new Set(MUTATIONS.map(({ name }) => name)).size, MUTATIONS.length, "each has a name of its own");
});

test("broken builds are caught by the simulator", () => {
  const hunts: Hunt[] = [];
  const chosen = MUTATIONS.filter(({ name }) => QUICK.includes(name));
  hunt(chosen, { from: 1, mostSeeds: MOST_SEEDS }, (one) => hunts.push(one));
  assert.equal(hunts.length, QUICK.length);
  for (const { mutation, seeds, found } of hunts) {
    assert.ok(seeds !== undefined, `the build that ${mutation.name} survived: ${found}`);
  }
}, { timeoutMs: 300_000 });
