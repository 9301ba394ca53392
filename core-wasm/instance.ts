/**
 * One instance of the compiled core and its two doors: `raw` (words, no copies) and `typed` (the component).
 * Invariant: an instance that trapped, or whose memory grew past the bound, is replaced before the next call.
 */

import type { UrlErrorCase } from "./url_error.ts";

/** assembly/door_filter.ts: the part of the raw door that filters and snapshots need. */
export interface FilterDoor {
  readonly memory: WebAssembly.Memory;
  raw_reserve(buffer: number, bytes: number): number;
  raw_guards(): number;
  raw_xxh64(ptr: number, length: number): bigint;
  raw_filterOpen(blocks: number): number;
  raw_filterAdd(count: number): number;
  raw_filterHas(count: number): number;
  raw_filterFresh(): bigint;
  raw_filterPtr(): number;
  raw_filterBlocks(): number;
  raw_filterRestore(fresh: bigint): void;
}

/** What budget.ts puts into the core. */
export interface Budgeted {
  /** Turns of loops that are left: below zero it traps. i64. */
  readonly raw_steps: WebAssembly.Global;
  /** Pages of 64 KiB that the memory may have; growing beyond is refused. i32. */
  readonly raw_pages: WebAssembly.Global;
}

/** Exports of assembly/door_raw.ts; addresses and lengths are 32-bit words, signed as wasm hands them out. */
export interface RawDoor extends FilterDoor, Budgeted {
  /** assembly/door_near.ts. */
  raw_nearOpen(capacity: number): number;
  raw_nearAdd(count: number): number;
  raw_nearNearest(count: number): number;
  raw_nearAll(wanted: bigint, room: number): number;
  raw_nearAnswers(): number;
  raw_nearCount(): number;
  raw_nearSettled(): number;
  raw_nearLoad(count: number): number;
  raw_unitEnds(count: number, bytes: number): void;
  raw_urls(count: number, maxBytes: number, rules: number): number;
  raw_urlRows(): number;
  raw_surts(count: number, maxBytes: number, rules: number): number;
  raw_surtText(): number;
  raw_text(): number;
  raw_textBytes(): number;
  /** assembly/door_scan.ts. */
  raw_scan(pageLength: number, urlLength: number, tokenLength: number, wants: number): number;
  /** assembly/door_charset.ts. */
  raw_utf8(pageLength: number, cut: number): number;
  raw_sevenBit(pageLength: number): number;
  raw_mostlyUtf8(length: number): number;
  raw_decode(length: number, charset: number): number;
  raw_decodeErrors(): number;
  raw_beyondAscii(pageLength: number): number;
  raw_encode(pageLength: number, charset: number): number;
  raw_detect(length: number): number;
  raw_simhash(ptr: number, length: number): bigint;
  /** For the conformance tests. */
  raw_tokens(pageLength: number, state: number, lastTagLength: number): number;
  raw_tokensLength(): number;
}

/** `record url-facts` of wit/core.wit. */
export interface TypedUrlFacts {
  readonly href: string;
  readonly key: string;
  readonly surt: string;
  readonly host: string;
  readonly fingerprint: bigint;
}

/** `record url-batch` of wit/core.wit. */
export interface TypedUrlBatch {
  readonly fingerprints: BigUint64Array;
  readonly columns: Int32Array;
  readonly text: Uint8Array;
}

/** `record page-facts` of wit/core.wit. */
export interface TypedPageFacts {
  readonly links: readonly {
    readonly url: string;
    readonly raw: string;
    readonly kind: string;
    readonly rel: string;
    readonly hreflang: string;
    readonly text: string;
  }[];
  readonly base: string;
  readonly title: string;
  readonly lang: string;
  readonly canonical?: string | undefined;
  readonly noindex: boolean;
  readonly nofollow: boolean;
  readonly truncated: boolean;
  readonly simhash: bigint;
  readonly textHash: bigint;
  readonly textLength: number;
}

/** The component's exports by interface, as jco hands them out. */
export interface TypedDoor {
  readonly hashing: { xxh64(bytes: Uint8Array): bigint };
  readonly urls: {
    /** Throws an UrlErrorCase. */
    facts(input: string, base: string | undefined, maxBytes: number, rules: number): TypedUrlFacts;
    normalize(urls: Uint8Array, ends: Uint32Array, maxBytes: number, rules: number): TypedUrlBatch;
  };
  readonly pages: {
    scan(html: Uint8Array, url: string, productToken: string, wants: number): TypedPageFacts;
    simhash(text: Uint8Array): bigint;
  };
  readonly filters: {
    open(blocks: number): boolean;
    addAll(keys: BigUint64Array): Uint8Array;
    hasAll(keys: BigUint64Array): Uint8Array;
  };
}

export interface CoreInstance {
  readonly raw: RawDoor;
  readonly typed: TypedDoor;
}

/** jco's `instantiate`: without promises in its arguments it answers at once. */
export type Instantiate = (
  getCoreModule: (path: string) => WebAssembly.Module,
  imports: Record<string, never>,
  instantiateCore: (module: WebAssembly.Module, imports: WebAssembly.Imports) => WebAssembly.Instance,
) => unknown;

/** What an instance may hold before it is replaced: scan buffers only ever grow. */
const MEMORY_BYTES = 64 * 1024 * 1024;
/** What it may hold at all, in pages of 64 KiB: 256 MB. The largest input of any call takes less. */
const MEMORY_PAGES = 4096;
/** Turns of loops in one call, where the caller says no less: a second or two. The largest batch of URLs takes less. */
const STEPS = 2_000_000_000;

/** Makes instances of one compiled core and keeps the one in use. */
export class CoreSlot {
  readonly #module: WebAssembly.Module;
  readonly #instantiate: Instantiate;
  #instance: CoreInstance;
  #calls = 0;

  constructor(module: WebAssembly.Module, instantiate: Instantiate) {
    this.#module = module;
    this.#instantiate = instantiate;
    this.#instance = this.#make();
  }

  /** Calls so far: what one left in the instance's memory stands until the next. */
  get calls(): number {
    return this.#calls;
  }

  /**
   * Runs `work` on a sound instance. A trap is a bug of the core, as is a call that takes more than `steps` turns of its
   * loops: it is thrown, and the next call has a new instance.
   */
  run<T>(work: (instance: CoreInstance) => T, steps = STEPS): T {
    this.#calls++;
    if (this.#instance.raw.memory.buffer.byteLength > MEMORY_BYTES) this.#instance = this.#make();
    const { raw_steps } = this.#instance.raw;
    raw_steps.value = BigInt(steps);
    try {
      return work(this.#instance);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      this.#instance = this.#make();
      if (raw_steps.value >= 0n) throw error;
      throw new WebAssembly.RuntimeError(`it took more than ${steps} steps`);
    }
  }

  /** An instance of its own, without the typed door: for an index. */
  fresh(): RawDoor {
    return new WebAssembly.Instance(this.#module, {}).exports as unknown as RawDoor;
  }

  #make(): CoreInstance {
    let raw: RawDoor | undefined;
    const typed = this.#instantiate(() => this.#module, {}, (module, imports) => {
      const instance = new WebAssembly.Instance(module, imports);
      raw = instance.exports as unknown as RawDoor;
      return instance;
    });
    if (raw === undefined || typed instanceof Promise) {
      throw new Error("Instantiating the core went another way than jco's synchronous one; build core-wasm anew.");
    }
    raw.raw_pages.value = MEMORY_PAGES;
    return { raw, typed: typed as TypedDoor };
  }
}

/** The case that a typed call threw (jco throws the bare enum case), or undefined when it threw something else. */
export function errorCase(error: unknown): UrlErrorCase | undefined {
  return typeof error === "string" ? error as UrlErrorCase : undefined;
}
