import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { VirtualClock } from "../../tests/support/virtual_clock.ts";
import { DistrustedOrigins } from "./distrusted_origins.ts";

test("distrusted origins are bounded, the one that was added longest ago goes first", () => {
  const origins = new DistrustedOrigins(new VirtualClock(), 3);
  for (const key of ["a", "b", "c", "a", "d"]) origins.add(key);
  assert.equal(origins.size, 3);
  assert.deepEqual(["a", "b", "c", "d"].map((key) => origins.has(key)), [true, false, true, true]);
});

test("a distrusted origin is trusted again after ten minutes, counted from the last time", async () => {
  const clock = new VirtualClock();
  const origins = new DistrustedOrigins(clock);
  origins.add("a");
  await clock.advance(590_000);
  origins.add("a");
  await clock.advance(590_000);
  assert.equal(origins.has("a"), true);
  await clock.advance(20_000);
  assert.deepEqual([origins.has("a"), origins.size], [false, 0]);
});
