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
  const kept = inputs.some((input) => input.length > longest)
    ? inputs.map((input) => input.length > longest ? input.slice(0, longest + 1) : input)
    : inputs;
  const joined = kept.join("");
  const room = joined.length * 3;
  const textAt = reserve(raw, BUFFER.input, room);
  const endsAt = reserve(raw, BUFFER.inputEnds, inputs.length * 4);
  const text = new Uint8Array(raw.memory.buffer, textAt, room);
  const ends = new Uint32Array(raw.memory.buffer, endsAt, inputs.length);
  // One call for all, as each costs as much as the encoding. Bytes are as many as units only where all is ASCII.
  const isAscii = encoder.encodeInto(joined, text).written === joined.length;
  let at = 0;
  for (let i = 0; i < kept.length; i++) {
    at += isAscii ? kept[i]!.length : encoder.encodeInto(kept[i]!, text.subarray(at)).written;
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
  const text = new Uint8Array(buffer.slice(textAt, textAt + raw.raw_textBytes()));
  const columns = new Int32Array(answers, count * 8, count * 7);
  const read = (column: number, index: number) => {
    const from = columns[column * count + index]!;
    return decoder.decode(text.subarray(from, from + columns[(column + 1) * count + index]!));
  };
  const status = (index: number) => index >= 0 && index < count ? columns[index]! : outOfRange(index, count);
  const href = (index: number) => {
    const found = status(index);
    return found < 0 ? "" : (found & HREF_IS_INPUT) !== 0 ? inputs[index]! : read(1, index);
  };
  return {
    length: count,
    ok: (index) => status(index) >= 0,
    why: (index) => {
      const found = status(index);
      return found < 0 ? urlErrorSentence(inputs[index]!, caseOfCode(found), maxBytes) : "";
    },
    fingerprints: new BigUint64Array(answers, 0, count),
    href,
    key: (index) => {
      const found = status(index);
      return found < 0 ? "" : (found & KEY_IS_HREF) !== 0 ? href(index) : read(3, index);
    },
    host: (index) => status(index) < 0 ? "" : read(5, index),
  };
}

function outOfRange(index: number, count: number): never {
  throw new RangeError(`Reading URL ${index} of a batch failed: it holds ${count}; an index from 0 is wanted.`);
}
