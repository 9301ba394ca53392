/**
 * A worker of the shared filter's tests: opens the filter of the handle that it is sent, waits at a barrier, and adds keys
 * in an order of its own. Answers with the keys that it was told were new.
 */

import { parentPort } from "node:worker_threads";
import { openSharedFilter } from "../../core-wasm/shared_filter.ts";
import type { SharedFilterHandle } from "../../core-wasm/shared_filter.ts";

export interface ContenderTask {
  readonly handle: SharedFilterHandle;
  /** One word: how many workers have come. */
  readonly barrier: Int32Array;
  readonly workers: number;
  readonly keys: number;
  readonly batch: number;
}

/** Waits until all have come, without letting go of the thread: they should meet in the filter. */
function waitForAll(barrier: Int32Array, workers: number): void {
  const come = Atomics.add(barrier, 0, 1) + 1;
  if (come === workers) Atomics.notify(barrier, 0);
  for (let seen = come; seen < workers; seen = Atomics.load(barrier, 0)) Atomics.wait(barrier, 0, seen, 1000);
}

function contend({ handle, barrier, workers, keys, batch }: ContenderTask): BigUint64Array {
  const filter = openSharedFilter(handle);
  waitForAll(barrier, workers);
  const fresh: bigint[] = [];
  for (let from = 0; from < keys; from += batch) {
    const part = BigUint64Array.from({ length: Math.min(batch, keys - from) }, (_, i) => BigInt(from + i));
    filter.addAll(part).forEach((isFresh, i) => isFresh === 1 && fresh.push(part[i]!));
  }
  return BigUint64Array.from(fresh);
}

parentPort?.on("message", (task: ContenderTask) => parentPort!.postMessage(contend(task)));
