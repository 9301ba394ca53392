import assert from "node:assert/strict";
import { test } from "../tests/support/test.ts";
import { settledWithin } from "./closing.ts";

test("work that ends in time is told from work that doesn't, and a failure is passed on", async () => {
  assert.equal(await settledWithin(Promise.resolve()), true);
  assert.equal(await settledWithin(new Promise(() => {}), 1), false);
  await assert.rejects(settledWithin(Promise.reject(new Error("broken"))), /broken/);
});
