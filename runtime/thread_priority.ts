/**
 * A thread that gives way to the others of its process.
 * Invariant: where the system knows no priorities of threads nothing happens.
 */

import { readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/** As nice(1) counts: 19 is the lowest. */
const LOW = 15;

/** Lowers the priority of the thread that calls, for good. Linux: proc(5), setpriority(2). */
export function giveWay(): void {
  try {
    // "PID/task/TID": the calls below are made by the thread that calls.
    const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    if (Number.isSafeInteger(thread) && thread > 0 && getPriority(thread) < LOW) setPriority(thread, LOW);
  } catch {
    // Another system, or it isn't allowed: the thread works on as it is.
  }
}
