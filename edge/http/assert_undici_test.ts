import assert from "node:assert/strict";
import * as undici from "undici-client";
import { RUNTIME, test } from "../../tests/support/test.ts";
import { assertUndici } from "./assert_undici.ts";

test("the installed client is the real undici, on this runtime too", () => {
  assertUndici(undici);
});

test("substitutes are refused: Bun's shim by its interceptors, others by what they lack", () => {
  const { Client, buildConnector, interceptors } = undici;
  const shim = { redirect: () => {}, retry: () => {}, dump: () => {} };
  const substitutes = [
    {},
    { Client, buildConnector, interceptors: shim },
    { Client, interceptors },
    { buildConnector, interceptors },
    { Client: class {}, buildConnector, interceptors },
    { Client, buildConnector },
  ];
  for (const one of substitutes) assert.throws(() => assertUndici(one), /ignores the address guard/);
});

test("what Bun puts behind the bare name is refused", async () => {
  const bare = "undici";
  const shim = await import(bare) as object;
  assert.throws(() => assertUndici(shim), /ignores the address guard/);
}, { skip: RUNTIME === "bun" ? undefined : "only Bun has a substitute for undici" });
