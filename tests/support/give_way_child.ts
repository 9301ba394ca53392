/** A thread that gives way and tells its priority then (runtime/thread_priority_test.ts). */

import { readFileSync } from "node:fs";
import { giveWay } from "../../runtime/thread_priority.ts";

giveWay();
(globalThis as unknown as { postMessage(text: string): void }).postMessage(
  readFileSync("/proc/thread-self/stat", "utf8"),
);
