/**
 * The host's side of assembly/memory/buffers.ts: writes input to the core's memory.
 * Invariant: views are made after the last reserve, as growing memory takes the old ones away.
 */

import type { FilterDoor } from "./instance.ts";

/** Buffer ids of assembly/memory/buffers.ts that the host writes to. */
export const BUFFER = {
  input: 0,
  inputEnds: 1,
  input2: 4,
  input3: 5,
  htmlPage: 16,
  htmlLegacy: 29,
} as const;

/** Bytes of one buffer at most: MAX_BYTES of assembly/memory/buffers.ts. */
export const BUFFER_BYTES: number = 128 * 1024 * 1024;

/** The address of `buffer` with room for `bytes`. Throws when the core's bound is passed: callers keep below it. */
export function reserve(raw: FilterDoor, buffer: number, bytes: number): number {
  const address = raw.raw_reserve(buffer, Math.max(bytes, 1)) >>> 0;
  if (address === 0) throw new Error(`Handing ${bytes} bytes to the core failed: a buffer holds at most 128 MiB.`);
  return address;
}

/** Copies `bytes` into `buffer`; its address is returned. */
export function put(raw: FilterDoor, buffer: number, bytes: Uint8Array): number {
  const address = reserve(raw, buffer, bytes.length);
  new Uint8Array(raw.memory.buffer, address, bytes.length).set(bytes);
  return address;
}
