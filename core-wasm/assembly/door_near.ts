/** The raw door's index of fingerprints (near/): one to a wasm instance. */

import { OUTPUT, reserve } from "./memory/buffers";
import { addNear, allNear, nearestOf } from "./near/search";
import { loadTables, openTables, settle, settled, tableAt, young } from "./near/tables";

export function raw_nearOpen(capacity: u32): i32 {
  return openTables(capacity) ? 1 : 0;
}

export function raw_nearAdd(count: usize): usize {
  return addNear(count);
}

export function raw_nearNearest(count: usize): usize {
  return nearestOf(count);
}

/** Fingerprints near `wanted`; the first `room` of them lie in OUTPUT (raw_nearAnswers). */
export function raw_nearAll(wanted: u64, room: usize): usize {
  return allNear(wanted, room);
}

export function raw_nearAnswers(): usize {
  return reserve(OUTPUT, 1);
}

export function raw_nearCount(): u32 {
  return settled + young;
}

/** Address of all fingerprints, in the order of their lowest sixteen bits. */
export function raw_nearSettled(): usize {
  settle();
  return tableAt(0);
}

/** Takes over `count` fingerprints that stand at raw_nearSettled; 0 when they aren't in order. */
export function raw_nearLoad(count: u32): i32 {
  return loadTables(count) ? 1 : 0;
}
