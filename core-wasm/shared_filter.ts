/**
 * A Bloom filter that workers share: bloomfilter.wasm over one shared memory. Its bits are its own, not those of
 * core.filter, and cost more memory: README.md says how much.
 * Invariant: no false negatives; of all workers that add a key at the same time exactly one is told that it was new.
 */

import { BUILD_FOLDER } from "./build_folder.ts";
import { readBytes } from "./load.ts";

/** Bits for each key at which a full filter has just under 1 % false positives (shared_filter_test.ts). */
export const SHARED_BITS_PER_KEY = 12.5;
/** 1.75 GiB of words. */
export const MAX_SHARED_CAPACITY = 1_200_000_000;
/** Workers that may open one filter, in its life. */
export const MOST_SEATS = 256;
/** Keys of one crossing; each worker has room for so many of its own. */
const CHUNK = 1024;
const SEAT_BYTES = CHUNK * 9;
const PAGE_BYTES = 65536;
/** As the module declares it (compile.ts); a memory takes no more than it needs. */
const MOST_PAGES = 32768;

/** The first page, in 64-bit words. */
const HEADER = { magic: 0, words: 1, capacity: 2, count: 3, seats: 4 };
const MAGIC = 0x544c4642n;
const HEADER_AT = 4096;
const SEATS_AT = PAGE_BYTES;
const WORDS_AT = SEATS_AT + Math.ceil((MOST_SEATS * SEAT_BYTES) / PAGE_BYTES) * PAGE_BYTES;

/** What a worker needs to open the filter: may be posted to it. */
export interface SharedFilterHandle {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
}

export interface SharedFilter {
  readonly handle: SharedFilterHandle;
  /** Keys it was made for. */
  readonly capacity: number;
  /** Keys that were new when any worker added them. */
  readonly count: number;
  /** For each key: 1 = certainly new, and added by this very call; 0 = probably seen. */
  addAll(keys: BigUint64Array): Uint8Array;
  /** For each key: 0 = certainly absent, 1 = probably present. */
  hasAll(keys: BigUint64Array): Uint8Array;
}

interface SharedDoor {
  add(words: number, count: number, keys: number, length: number, out: number): number;
  has(words: number, count: number, keys: number, length: number, out: number): void;
}

let compiling: Promise<WebAssembly.Module> | undefined;

function compiled(): Promise<WebAssembly.Module> {
  compiling ??= readBytes(new URL("bloomfilter.wasm", BUILD_FOLDER)).then((bytes) => WebAssembly.compile(bytes))
    .catch((error) => {
      compiling = undefined;
      throw error;
    });
  return compiling;
}

/** A new filter for `capacity` keys, 1 to MAX_SHARED_CAPACITY; needs SharedArrayBuffer. */
export async function makeSharedFilter(capacity: number): Promise<SharedFilter> {
  return sharedFilterOf(await compiled(), capacity);
}

/** A new filter by a module that is compiled already: that of another filter's handle. */
export function sharedFilterOf(module: WebAssembly.Module, capacity: number): SharedFilter {
  if (!Number.isInteger(capacity) || capacity < 1 || capacity > MAX_SHARED_CAPACITY) {
    throw new RangeError(
      `Making a shared filter for ${capacity} keys failed: a whole number from 1 to ${MAX_SHARED_CAPACITY} is wanted.`,
    );
  }
  const words = Math.ceil((capacity * SHARED_BITS_PER_KEY) / 64);
  const initial = Math.ceil((WORDS_AT + words * 8) / PAGE_BYTES);
  const memory = new WebAssembly.Memory({ initial, maximum: MOST_PAGES, shared: true });
  const header = headerOf(memory);
  header[HEADER.words] = BigInt(words);
  header[HEADER.capacity] = BigInt(capacity);
  header[HEADER.magic] = MAGIC;
  return openSharedFilter({ module, memory });
}

/** The filter of another worker's handle. Each opening takes one of MOST_SEATS. */
export function openSharedFilter(handle: SharedFilterHandle): SharedFilter {
  return new OpenFilter(handle);
}

function headerOf(memory: WebAssembly.Memory): BigInt64Array {
  return new BigInt64Array(memory.buffer, HEADER_AT, 8);
}

class OpenFilter implements SharedFilter {
  readonly handle: SharedFilterHandle;
  readonly capacity: number;
  readonly #header: BigInt64Array;
  readonly #door: SharedDoor;
  readonly #words: number;
  readonly #keysAt: number;
  readonly #answersAt: number;
  readonly #keys: BigUint64Array;

  constructor(handle: SharedFilterHandle) {
    this.handle = handle;
    const { module, memory } = handle;
    this.#header = headerOf(memory);
    if (this.#header[HEADER.magic] !== MAGIC) {
      throw new Error("Opening a shared filter failed: the memory holds none; wanted the handle of makeSharedFilter.");
    }
    const seat = Number(Atomics.add(this.#header, HEADER.seats, 1n));
    if (seat >= MOST_SEATS) {
      throw new Error(`Opening a shared filter failed: it was opened ${seat} times; ${MOST_SEATS} are the most.`);
    }
    this.capacity = Number(this.#header[HEADER.capacity]);
    this.#words = Number(this.#header[HEADER.words]);
    this.#keysAt = SEATS_AT + seat * SEAT_BYTES;
    this.#answersAt = this.#keysAt + CHUNK * 8;
    this.#keys = new BigUint64Array(memory.buffer, this.#keysAt, CHUNK);
    this.#door = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as SharedDoor;
  }

  get count(): number {
    return Number(Atomics.load(this.#header, HEADER.count));
  }

  addAll(keys: BigUint64Array): Uint8Array {
    return this.#ask(keys, (length) => {
      const fresh = this.#door.add(WORDS_AT, this.#words, this.#keysAt, length, this.#answersAt);
      Atomics.add(this.#header, HEADER.count, BigInt(fresh));
    });
  }

  hasAll(keys: BigUint64Array): Uint8Array {
    return this.#ask(keys, (length) => this.#door.has(WORDS_AT, this.#words, this.#keysAt, length, this.#answersAt));
  }

  #ask(keys: BigUint64Array, call: (length: number) => void): Uint8Array {
    const answers = new Uint8Array(keys.length);
    for (let from = 0; from < keys.length; from += CHUNK) {
      const part = keys.subarray(from, from + CHUNK);
      this.#keys.set(part);
      call(part.length);
      answers.set(new Uint8Array(this.handle.memory.buffer, this.#answersAt, part.length), from);
    }
    return answers;
  }
}
