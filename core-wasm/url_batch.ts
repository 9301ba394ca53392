/**
 * Batches of URLs by the raw door: one crossing, columns back, strings decoded only when asked for.
 * Invariant: what lies where is said in assembly/url/batch.ts; a refused URL is a status, never an exception.
 */

import type { UrlBatch } from "./core.ts";
import type { CoreInstance } from "./instance.ts";
import type { UrlRules } from "./url.ts";
import { caseOfCode, urlErrorSentence } from "./url_error.ts";
import { writeInputs } from "./url_inputs.ts";

const HREF_IS_INPUT = 1;
const KEY_IS_HREF = 2;
/** Bytes of the columns for each URL, and of a row for each that was changed. */
const COLUMN_BYTES = 16;
const ROW_BYTES = 16;
const HOST_BITS = 9;
const decoder = new TextDecoder();

/** See Core.urls. */
export function urlBatch({ raw }: CoreInstance, inputs: readonly string[], { maxBytes, rules }: UrlRules): UrlBatch {
  const count = inputs.length;
  writeInputs(raw, inputs, maxBytes);
  const at = raw.raw_urls(count, maxBytes, rules) >>> 0;
  if (at === 0) throw new RangeError(`Normalising ${count} URLs at once failed: smaller batches are wanted.`);
  const { buffer } = raw.memory;
  // Copies: what is asked later doesn't hang on what the core did meanwhile. There is text only of URLs that were changed.
  const answers = buffer.slice(at, at + count * COLUMN_BYTES + raw.raw_urlRows() * ROW_BYTES);
  const textBytes = raw.raw_textBytes();
  if (textBytes === 0) return new Batch(inputs, answers, NO_TEXT, maxBytes);
  const textAt = raw.raw_text() >>> 0;
  return new Batch(inputs, answers, new Uint8Array(buffer.slice(textAt, textAt + textBytes)), maxBytes);
}

/** See Core.surts. */
export function surtBatch({ raw }: CoreInstance, inputs: readonly string[], { maxBytes, rules }: UrlRules): string[] {
  const count = inputs.length;
  writeInputs(raw, inputs, maxBytes);
  const at = raw.raw_surts(count, maxBytes, rules) >>> 0;
  if (at === 0) throw new RangeError(`Making the SURTs of ${count} URLs at once failed: smaller batches are wanted.`);
  const ends = new Uint32Array(raw.memory.buffer, at, count);
  const bytes = count === 0 ? 0 : ends[count - 1]!;
  // A copy: some decoders take no memory that may be shared.
  const text = decoder.decode(new Uint8Array(raw.memory.buffer, raw.raw_surtText() >>> 0, bytes).slice());
  return Array.from(ends, (end, i) => text.slice(i === 0 ? 0 : ends[i - 1]!, end));
}

const NO_TEXT = new Uint8Array();

/** 32-bit words: fingerprints, two for each URL, then the columns, then rows. */
const COLUMN = { status: 2, host: 3, rows: 4 } as const;
/** Words of a row. */
const ROW = { href: 0, key: 2, words: 4 } as const;

class Batch implements UrlBatch {
  readonly length: number;
  readonly #inputs: readonly string[];
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #maxBytes: number;
  #fingerprints: BigUint64Array | undefined;
  /** All hrefs and keys, which are ASCII: bytes and units are the same. One decoding costs as much as for one of them. */
  #text: string | undefined;

  constructor(inputs: readonly string[], answers: ArrayBufferLike, bytes: Uint8Array, maxBytes: number) {
    this.length = inputs.length;
    // Its own: callers fill one array again and again, and unchanged URLs are read from here.
    this.#inputs = inputs.slice();
    this.#words = new Int32Array(answers);
    this.#bytes = bytes;
    this.#maxBytes = maxBytes;
  }

  get fingerprints(): BigUint64Array {
    this.#fingerprints ??= new BigUint64Array(this.#words.buffer, 0, this.length);
    return this.#fingerprints;
  }

  ok(index: number): boolean {
    return this.#status(index) >= 0;
  }

  why(index: number): string {
    const found = this.#status(index);
    return found < 0 ? urlErrorSentence(this.#inputs[index]!, caseOfCode(found), this.#maxBytes) : "";
  }

  href(index: number): string {
    const found = this.#status(index);
    if (found < 0) return "";
    return (found & HREF_IS_INPUT) !== 0 ? this.#inputs[index]! : this.#read(ROW.href, found);
  }

  key(index: number): string {
    const found = this.#status(index);
    if (found < 0) return "";
    return (found & KEY_IS_HREF) !== 0 ? this.href(index) : this.#read(ROW.key, found);
  }

  host(index: number): string {
    const found = this.#words[COLUMN.host * this.length + index]!;
    const from = found >>> HOST_BITS;
    return this.href(index).slice(from, from + (found & ((1 << HOST_BITS) - 1)));
  }

  #status(index: number): number {
    if (index >= 0 && index < this.length) return this.#words[COLUMN.status * this.length + index]!;
    throw new RangeError(`Reading URL ${index} of a batch failed: it holds ${this.length}; an index from 0 is wanted.`);
  }

  #read(word: number, status: number): string {
    this.#text ??= decoder.decode(this.#bytes);
    const at = COLUMN.rows * this.length + ROW.words * (status >>> 2) + word;
    const from = this.#words[at]!;
    return this.#text.slice(from, from + this.#words[at + 1]!);
  }
}
