/**
 * Batches of URLs by the raw door: one crossing, columns back, strings decoded only when asked for.
 * Invariant: what lies where is said in assembly/url/batch.ts; a refused URL is a status, never an exception.
 */

import { BUFFER, reserve } from "./buffers.ts";
import type { UrlBatch } from "./core.ts";
import type { CoreInstance, RawDoor } from "./instance.ts";
import type { UrlRules } from "./url.ts";
import { caseOfCode, urlErrorSentence } from "./url_error.ts";

const HREF_IS_INPUT = 1;
const KEY_IS_HREF = 2;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Longest input that is worth handing over: more is refused for its length unread (UTF-16 units, limit x 8). */
const INPUT_FACTOR = 8;

/** Writes the strings to the core, one behind the other, and where each ends. */
function writeInputs(raw: RawDoor, inputs: readonly string[], longest: number): void {
  let kept = inputs;
  for (let i = 0; i < inputs.length; i++) {
    if (inputs[i]!.length > longest) {
      kept = inputs.map((input) => input.length > longest ? input.slice(0, longest + 1) : input);
      break;
    }
  }
  const joined = kept.join("");
  const room = joined.length * 3;
  const textAt = reserve(raw, BUFFER.input, room);
  const endsAt = reserve(raw, BUFFER.inputEnds, inputs.length * 4);
  const text = new Uint8Array(raw.memory.buffer, textAt, room);
  const ends = new Uint32Array(raw.memory.buffer, endsAt, inputs.length);
  // One call for all, as each costs as much as the encoding. Bytes are as many as units only where all is ASCII.
  if (encoder.encodeInto(joined, text).written === joined.length) endsOfUnits(kept, ends);
  else endsOfBytes(kept, text, ends);
}

function endsOfUnits(inputs: readonly string[], ends: Uint32Array): void {
  let at = 0;
  for (let i = 0; i < inputs.length; i++) {
    at += inputs[i]!.length;
    ends[i] = at;
  }
}

/** Walks along the bytes that were written. Halves of a surrogate pair that two strings brought together are taken apart. */
function endsOfBytes(inputs: readonly string[], text: Uint8Array, ends: Uint32Array): void {
  let at = 0;
  for (let i = 0; i < inputs.length; i++) {
    const input = inputs[i]!;
    if ((input.charCodeAt(input.length - 1) & 0xfc00) === 0xd800) return encodeEach(inputs, text, ends);
    for (let unit = 0; unit < input.length; unit++) {
      const code = input.charCodeAt(unit);
      // Each half of a pair has two of the four bytes; a half without its other is U+FFFD, three.
      at += code < 0x80 ? 1 : code < 0x800 ? 2 : isHalfOfPair(input, unit, code) ? 2 : 3;
    }
    ends[i] = at;
  }
}

function isHalfOfPair(text: string, at: number, code: number): boolean {
  if ((code & 0xfc00) === 0xd800) return (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
  return (code & 0xfc00) === 0xdc00 && at > 0 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}

function encodeEach(inputs: readonly string[], text: Uint8Array, ends: Uint32Array): void {
  let at = 0;
  for (let i = 0; i < inputs.length; i++) {
    at += encoder.encodeInto(inputs[i]!, text.subarray(at)).written;
    ends[i] = at;
  }
}

/** See Core.urls. */
export function urlBatch({ raw }: CoreInstance, inputs: readonly string[], { maxBytes, rules }: UrlRules): UrlBatch {
  const count = inputs.length;
  writeInputs(raw, inputs, maxBytes * INPUT_FACTOR);
  const at = raw.raw_urls(count, maxBytes, rules) >>> 0;
  if (at === 0) throw new RangeError(`Normalising ${count} URLs at once failed: smaller batches are wanted.`);
  const { buffer } = raw.memory;
  // Copies: two cheap ones, and what is asked later no longer hangs on what the core did meanwhile.
  const answers = buffer.slice(at, at + count * 36);
  const textAt = raw.raw_text() >>> 0;
  return new Batch(inputs, answers, new Uint8Array(buffer.slice(textAt, textAt + raw.raw_textBytes())), maxBytes);
}

/** See Core.surts. */
export function surtBatch({ raw }: CoreInstance, inputs: readonly string[], { maxBytes, rules }: UrlRules): string[] {
  const count = inputs.length;
  writeInputs(raw, inputs, maxBytes * INPUT_FACTOR);
  const at = raw.raw_surts(count, maxBytes, rules) >>> 0;
  if (at === 0) throw new RangeError(`Making the SURTs of ${count} URLs at once failed: smaller batches are wanted.`);
  const ends = new Uint32Array(raw.memory.buffer, at, count);
  const bytes = count === 0 ? 0 : ends[count - 1]!;
  // A copy: some decoders take no memory that may be shared.
  const text = decoder.decode(new Uint8Array(raw.memory.buffer, raw.raw_surtText() >>> 0, bytes).slice());
  return Array.from(ends, (end, i) => text.slice(i === 0 ? 0 : ends[i - 1]!, end));
}

/** Columns of the answer, each `count` words long. */
const COLUMN = { status: 0, href: 1, key: 3, host: 5 } as const;

class Batch implements UrlBatch {
  readonly length: number;
  readonly fingerprints: BigUint64Array;
  readonly #inputs: readonly string[];
  readonly #columns: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #maxBytes: number;
  /** All hrefs and keys, which are ASCII: bytes and units are the same. One decoding costs as much as for one of them. */
  #text: string | undefined;

  constructor(inputs: readonly string[], answers: ArrayBufferLike, bytes: Uint8Array, maxBytes: number) {
    this.length = inputs.length;
    this.fingerprints = new BigUint64Array(answers, 0, this.length);
    this.#inputs = inputs;
    this.#columns = new Int32Array(answers, this.length * 8, this.length * 7);
    this.#bytes = bytes;
    this.#maxBytes = maxBytes;
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
    return found < 0 ? "" : (found & HREF_IS_INPUT) !== 0 ? this.#inputs[index]! : this.#read(COLUMN.href, index);
  }

  key(index: number): string {
    const found = this.#status(index);
    if (found < 0) return "";
    return (found & KEY_IS_HREF) !== 0 ? this.href(index) : this.#read(COLUMN.key, index);
  }

  host(index: number): string {
    return this.#status(index) < 0 ? "" : this.#read(COLUMN.host, index);
  }

  #status(index: number): number {
    if (index >= 0 && index < this.length) return this.#columns[index]!;
    throw new RangeError(`Reading URL ${index} of a batch failed: it holds ${this.length}; an index from 0 is wanted.`);
  }

  #read(column: number, index: number): string {
    this.#text ??= decoder.decode(this.#bytes);
    const from = this.#columns[column * this.length + index]!;
    return this.#text.slice(from, from + this.#columns[(column + 1) * this.length + index]!);
  }
}
