/** A thread that gives way and tells where its priority can be read (runtime/thread_priority_test.ts). */

import { readlinkSync } from "node:fs";
import { giveWay } from "../../runtime/thread_priority.ts";

giveWay();
(globalThis as unknown as { postMessage(text: string): void }).postMessage(
  `/proc/${readlinkSync("/proc/thread-self")}/stat`,
);
