/**
 * A few thousand inputs of every fuzz target: no trap, and two instances of the core give one hash. `deno task fuzz` does
 * the millions, across runtimes and builds.
 */

import assert from "node:assert/strict";
import { loadArtefact } from "../../core-wasm/load.ts";
import { test } from "../support/test.ts";
import { fuzzCoreOf } from "./doors.ts";
import { fuzz } from "./run.ts";
import { TARGETS } from "./targets.ts";

for (const target of Object.keys(TARGETS)) {
  test(`fuzz ${target}: the same answers twice`, async () => {
    const run = { target, seed: 7, inputs: 1500 };
    const artefact = await loadArtefact();
    const [first, second] = [fuzzCoreOf(artefact), fuzzCoreOf(artefact)];
    const once = fuzz(run, first, () => {});
    assert.ok(once.inputs >= run.inputs && once.bytes > 0);
    assert.equal(fuzz(run, second, () => {}).hash, once.hash);
    assert.notEqual(fuzz({ ...run, seed: 8 }, second, () => {}).hash, once.hash);
  });
}
