/**
 * Indexes of fingerprints "within three bits", by the raw door, each in a wasm instance of its own (assembly/near/).
 * Invariant: exact: what is within three bits is found, what isn't is not told.
 */

import { BUFFER, reserve } from "./buffers.ts";
import type { NearAnswers, NearIndex, SnapshotRefused } from "./core.ts";
import type { RawDoor } from "./instance.ts";
import { hashAt, HEADER_BYTES, readHeader, refused, SNAPSHOT_KIND, writeHeader } from "./snapshot.ts";

/** 40 million: 1.8 GB of tables. */
export const MAX_NEAR_CAPACITY = 40_000_000;
/** Fingerprints of one crossing. */
const CHUNK = 16_384;
/** Fingerprints that `within` finds at most: a buffer of the core holds so many. */
const MOST_FOUND = 16 * 1024 * 1024;

class CoreNearIndex implements NearIndex {
  readonly capacity: number;
  #open: RawDoor | undefined;

  constructor(raw: RawDoor, capacity: number) {
    this.capacity = capacity;
    this.#open = raw;
    if (raw.raw_nearOpen(capacity) !== 1) {
      throw new Error(`Making an index of ${capacity} fingerprints failed: there is no memory for it.`);
    }
    reserve(raw, BUFFER.input, CHUNK * 8);
  }

  get #raw(): RawDoor {
    if (this.#open === undefined) throw new Error("Using an index of fingerprints failed: it was freed; make another.");
    return this.#open;
  }

  get count(): number {
    return this.#raw.raw_nearCount() >>> 0;
  }

  addAll(fingerprints: BigUint64Array): Uint8Array {
    const raw = this.#raw;
    const answers = new Uint8Array(fingerprints.length);
    eachChunk(raw, fingerprints, (from, count) => {
      const at = addressOf(raw.raw_nearAdd(count));
      answers.set(new Uint8Array(raw.memory.buffer, at, count), from);
    });
    return answers;
  }

  nearest(fingerprints: BigUint64Array): NearAnswers {
    const raw = this.#raw;
    const nearest = new BigUint64Array(fingerprints.length);
    const distances = new Uint8Array(fingerprints.length);
    eachChunk(raw, fingerprints, (from, count) => {
      const at = addressOf(raw.raw_nearNearest(count));
      nearest.set(new BigUint64Array(raw.memory.buffer, at, count), from);
      distances.set(new Uint8Array(raw.memory.buffer, at + count * 8, count), from);
    });
    return { fingerprints: nearest, distances };
  }

  within(fingerprint: bigint, most: number): BigUint64Array {
    if (!(most >= 0)) {
      throw new RangeError(`Looking for at most ${most} fingerprints failed: a number from 0 is wanted.`);
    }
    const raw = this.#raw;
    const room = Math.min(Math.floor(most), this.count, MOST_FOUND);
    const found = raw.raw_nearAll(BigInt.asIntN(64, fingerprint), room) >>> 0;
    const at = raw.raw_nearAnswers() >>> 0;
    return new BigUint64Array(raw.memory.buffer, at, Math.min(found, room)).slice();
  }

  snapshot(position: bigint): readonly Uint8Array[] {
    const raw = this.#raw;
    const at = raw.raw_nearSettled() >>> 0;
    const { capacity, count } = this;
    const bodyBytes = count * 8;
    const facts = { kind: SNAPSHOT_KIND.nearIndex, position, capacity, count, bodyBytes };
    const header = writeHeader(raw, facts, hashAt(raw, at, bodyBytes));
    return [header, new Uint8Array(raw.memory.buffer, at, bodyBytes)];
  }

  free(): void {
    this.#open = undefined;
  }
}

function addressOf(answer: number): number {
  if (answer === 0) throw new Error("Asking an index of fingerprints failed: the core has no room for answers.");
  return answer >>> 0;
}

/** Hands over CHUNK fingerprints at a time. The view is made for each, as answers may have made the memory grow. */
function eachChunk(raw: RawDoor, all: BigUint64Array, call: (from: number, count: number) => void): void {
  for (let from = 0; from < all.length; from += CHUNK) {
    const part = all.subarray(from, from + CHUNK);
    new BigUint64Array(raw.memory.buffer, reserve(raw, BUFFER.input, CHUNK * 8), part.length).set(part);
    call(from, part.length);
  }
}

/** See Core.nearIndex. `capacity` is a whole number, 1 to MAX_NEAR_CAPACITY. */
export function makeNearIndex(raw: RawDoor, capacity: number): NearIndex {
  if (!Number.isInteger(capacity) || capacity < 1 || capacity > MAX_NEAR_CAPACITY) {
    throw new RangeError(
      `Making an index of ${capacity} fingerprints failed: a whole number from 1 to ${MAX_NEAR_CAPACITY} is wanted.`,
    );
  }
  return new CoreNearIndex(raw, capacity);
}

/** See Core.restoreNearIndex. */
export function restoreNearIndex(
  raw: RawDoor,
  bytes: Uint8Array,
): { readonly index: NearIndex; readonly position: bigint } | SnapshotRefused {
  const kind = SNAPSHOT_KIND.nearIndex;
  const facts = readHeader(raw, bytes, kind);
  if ("error" in facts) return facts;
  const { capacity, count, bodyBytes } = facts;
  const fits = capacity >= 1 && capacity <= MAX_NEAR_CAPACITY && count <= capacity;
  if (!fits || bodyBytes !== count * 8 || bytes.length !== HEADER_BYTES + bodyBytes) {
    return refused(kind, `${bytes.length} bytes were found for ${count} fingerprints of ${capacity}`);
  }
  const index = makeNearIndex(raw, capacity);
  const at = raw.raw_nearSettled() >>> 0;
  new Uint8Array(raw.memory.buffer, at, bodyBytes).set(bytes.subarray(HEADER_BYTES));
  if (hashAt(raw, at, bodyBytes) !== facts.bodyHash) return refused(kind, "the body doesn't have its checksum");
  if (raw.raw_nearLoad(count) !== 1) {
    return refused(kind, "the fingerprints aren't in their order, or one stands twice");
  }
  return { index, position: facts.position };
}
