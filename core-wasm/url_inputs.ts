/**
 * Hands strings to the core, one behind the other in UTF-8, and where each ends: the input of batches of URLs.
 * Invariant: each string becomes what encoding it alone gives, whatever stands beside it.
 */

import { BUFFER, reserve } from "./buffers.ts";
import type { RawDoor } from "./instance.ts";

const encoder = new TextEncoder();

/** Longest input that is worth handing over: more is refused for its length unread (UTF-16 units, limit x 8). */
const INPUT_FACTOR = 8;

/** Views of the two buffers, kept from call to call: making them costs as much as normalising a URL or two. */
class InputViews {
  text: Uint8Array = new Uint8Array();
  ends: Uint32Array = new Uint32Array();

  /** Makes views anew where a buffer moved or is too small, or the memory grew. */
  fit(raw: RawDoor, textBytes: number, count: number): void {
    const textAt = reserve(raw, BUFFER.input, textBytes);
    const endsAt = reserve(raw, BUFFER.inputEnds, count * 4);
    const { buffer } = raw.memory;
    if (!isViewOf(this.text, buffer, textAt) || this.text.length < textBytes) {
      this.text = new Uint8Array(buffer, textAt, textBytes);
    }
    if (!isViewOf(this.ends, buffer, endsAt) || this.ends.length < count) {
      this.ends = new Uint32Array(buffer, endsAt, count);
    }
  }
}

function isViewOf(view: ArrayBufferView, buffer: ArrayBufferLike, address: number): boolean {
  return view.buffer === buffer && view.byteOffset === address;
}

const viewsOf = new WeakMap<RawDoor, InputViews>();

/** Writes the strings to the core. `maxBytes`: of a URL, after normalising. */
export function writeInputs(raw: RawDoor, inputs: readonly string[], maxBytes: number): void {
  const longest = maxBytes * INPUT_FACTOR;
  const kept = inputs.some((input) => input.length > longest)
    ? inputs.map((input) => input.length > longest ? input.slice(0, longest + 1) : input)
    : inputs;
  const joined = kept.join("");
  let views = viewsOf.get(raw);
  if (views === undefined) viewsOf.set(raw, views = new InputViews());
  views.fit(raw, joined.length * 3, kept.length);
  const { text, ends } = views;
  // One call for all, as each costs as much as the encoding. Bytes are as many as units only where all is ASCII.
  const { written } = encoder.encodeInto(joined, text);
  endsOfUnits(kept, ends);
  if (written === joined.length) return;
  if (kept.some(endsInHalf)) encodeEach(kept, text, ends);
  else raw.raw_unitEnds(kept.length, written);
}

function endsOfUnits(inputs: readonly string[], ends: Uint32Array): void {
  let at = 0;
  for (let i = 0; i < inputs.length; i++) {
    at += inputs[i]!.length;
    ends[i] = at;
  }
}

/** Half a surrogate pair, which joining may bring together with the next string's other half. */
function endsInHalf(input: string): boolean {
  return (input.charCodeAt(input.length - 1) & 0xfc00) === 0xd800;
}

function encodeEach(inputs: readonly string[], text: Uint8Array, ends: Uint32Array): void {
  let at = 0;
  for (let i = 0; i < inputs.length; i++) {
    at += encoder.encodeInto(inputs[i]!, text.subarray(at)).written;
    ends[i] = at;
  }
}
