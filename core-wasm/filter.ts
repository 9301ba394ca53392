/**
 * Filters by the raw door, each in a wasm instance of its own, so that a filter's memory is never a scan's.
 * Invariant: no false negatives. A full filter goes on working, with more false positives: its owner adds another.
 */

import { BUFFER, reserve } from "./buffers.ts";
import type { Filter, SnapshotRefused } from "./core.ts";
import type { FilterDoor } from "./instance.ts";
import { hashAt, HEADER_BYTES, readHeader, refused, SNAPSHOT_KIND, writeHeader } from "./snapshot.ts";

/** Bits for each key at which a full split-block filter has just under 1 % false positives (filter_test.ts). */
export const BITS_PER_KEY = 10.6;
const BLOCK_BITS = 256;
const BLOCK_BYTES = 32;
/** 1.75 GiB of blocks: addresses stay below 2 GiB. */
export const MAX_CAPACITY = 1_400_000_000;
/** Keys of one crossing. */
const CHUNK = 16_384;

/** 256-bit blocks for `capacity` keys. */
export function blocksFor(capacity: number): number {
  return Math.max(1, Math.ceil((capacity * BITS_PER_KEY) / BLOCK_BITS));
}

/** The filter's instance with views of its buffers: making views costs more than adding a few keys. */
class FilterMemory {
  readonly raw: FilterDoor;
  readonly #keysAt: number;
  #buffer: ArrayBufferLike | undefined;
  #keys: BigUint64Array = new BigUint64Array();
  #answers: Uint8Array = new Uint8Array();

  constructor(raw: FilterDoor) {
    this.raw = raw;
    this.#keysAt = reserve(raw, BUFFER.input, CHUNK * 8);
  }

  /** Hands over at most CHUNK keys, calls, and copies the bytes of the answer. */
  ask(keys: BigUint64Array, call: (count: number) => number): Uint8Array {
    this.#keysView().set(keys);
    const at = call(keys.length) >>> 0;
    if (at === 0) {
      throw new Error(`Asking a filter about ${keys.length} keys failed: the core has no room for answers.`);
    }
    const { buffer } = this.raw.memory;
    // A view of all, made once: making one for each answer costs more than a few keys.
    if (buffer !== this.#answers.buffer) this.#answers = new Uint8Array(buffer);
    return this.#answers.slice(at, at + keys.length);
  }

  /** Growing the memory takes its old buffer away, and the views with it. */
  #keysView(): BigUint64Array {
    const { buffer } = this.raw.memory;
    if (buffer !== this.#buffer) {
      this.#buffer = buffer;
      this.#keys = new BigUint64Array(buffer, this.#keysAt, CHUNK);
    }
    return this.#keys;
  }
}

class CoreFilter implements Filter {
  readonly capacity: number;
  #memory: FilterMemory | undefined;

  constructor(raw: FilterDoor, capacity: number) {
    this.capacity = capacity;
    this.#memory = new FilterMemory(raw);
    if (raw.raw_filterOpen(blocksFor(capacity)) !== 1) {
      throw new Error(
        `Making a filter for ${capacity} keys failed: there is no memory for ${blocksFor(capacity)} blocks.`,
      );
    }
  }

  get count(): number {
    return Number(this.#open().raw.raw_filterFresh());
  }

  addAll(keys: BigUint64Array): Uint8Array {
    const memory = this.#open();
    return askAll(memory, keys, (count) => memory.raw.raw_filterAdd(count));
  }

  hasAll(keys: BigUint64Array): Uint8Array {
    const memory = this.#open();
    return askAll(memory, keys, (count) => memory.raw.raw_filterHas(count));
  }

  snapshot(position: bigint): readonly Uint8Array[] {
    const { raw } = this.#open();
    const { capacity, count } = this;
    const at = raw.raw_filterPtr() >>> 0;
    const bodyBytes = blocksFor(capacity) * BLOCK_BYTES;
    const facts = { kind: SNAPSHOT_KIND.filter, position, capacity, count, bodyBytes };
    const header = writeHeader(raw, facts, hashAt(raw, at, bodyBytes));
    return [header, new Uint8Array(raw.memory.buffer, at, bodyBytes)];
  }

  free(): void {
    this.#memory = undefined;
  }

  #open(): FilterMemory {
    if (this.#memory === undefined) throw new Error("Using a filter failed: it was freed; make another.");
    return this.#memory;
  }
}

function askAll(memory: FilterMemory, keys: BigUint64Array, call: (count: number) => number): Uint8Array {
  if (keys.length <= CHUNK) return memory.ask(keys, call);
  const answers = new Uint8Array(keys.length);
  for (let from = 0; from < keys.length; from += CHUNK) {
    answers.set(memory.ask(keys.subarray(from, from + CHUNK), call), from);
  }
  return answers;
}

/** See Core.filter. `capacity` is a whole number of keys, 1 to MAX_CAPACITY. */
export function makeFilter(raw: FilterDoor, capacity: number): Filter {
  if (!Number.isInteger(capacity) || capacity < 1 || capacity > MAX_CAPACITY) {
    throw new RangeError(
      `Making a filter for ${capacity} keys failed: a whole number from 1 to ${MAX_CAPACITY} is wanted.`,
    );
  }
  return new CoreFilter(raw, capacity);
}

/** See Core.restoreFilter. `used`: bytes of the snapshot, behind which others may stand. */
export function readFilter(
  raw: FilterDoor,
  bytes: Uint8Array,
): { readonly filter: Filter; readonly position: bigint; readonly used: number } | SnapshotRefused {
  const kind = SNAPSHOT_KIND.filter;
  const facts = readHeader(raw, bytes, kind);
  if ("error" in facts) return facts;
  const { capacity, count, bodyBytes } = facts;
  if (capacity < 1 || capacity > MAX_CAPACITY || bodyBytes !== blocksFor(capacity) * BLOCK_BYTES) {
    return refused(kind, `${bodyBytes} bytes of blocks were found for ${capacity} keys`);
  }
  const filter = makeFilter(raw, capacity);
  const at = raw.raw_filterPtr() >>> 0;
  const used = HEADER_BYTES + bodyBytes;
  new Uint8Array(raw.memory.buffer, at, bodyBytes).set(bytes.subarray(HEADER_BYTES, used));
  if (hashAt(raw, at, bodyBytes) !== facts.bodyHash) return refused(kind, "the blocks don't have their checksum");
  raw.raw_filterRestore(BigInt(count));
  return { filter, position: facts.position, used };
}

/** See Core.restoreFilter: nothing may stand behind the snapshot. */
export function restoreFilter(
  raw: FilterDoor,
  bytes: Uint8Array,
): { readonly filter: Filter; readonly position: bigint } | SnapshotRefused {
  const restored = readFilter(raw, bytes);
  if ("error" in restored || restored.used === bytes.length) return restored;
  return refused(SNAPSHOT_KIND.filter, `${bytes.length} bytes were found where ${restored.used} are wanted`);
}
