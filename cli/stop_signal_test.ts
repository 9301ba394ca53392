import assert from "node:assert/strict";
import process from "node:process";
import { test } from "../tests/support/test.ts";
import { listenForStop } from "./stop_signal.ts";

test("a signal that comes twice at once, from the group and from its parent, is one", () => {
  let told = 0;
  const stop = listenForStop(() => told++);
  try {
    process.emit("SIGTERM", "SIGTERM");
    process.emit("SIGTERM", "SIGTERM");
    assert.deepEqual([told, stop.signal.aborted, stop.reason()], [1, true, "stopped by SIGTERM"]);
  } finally {
    stop.dispose();
  }
});
