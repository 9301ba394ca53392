/**
 * SURTs of many URLs in one crossing, as `Facts.surt` has them.
 * In: as for batch.ts. Out, at the returned address, for n URLs: where each SURT ends in the text, u32[n]; the text is at
 * textPtr(). Nothing stands there for a URL that has no SURT.
 * Invariant: one refused URL changes nothing for the others.
 */

import { capacity, INPUT, INPUT_ENDS, OUTPUT, reserve, reserveKept, TEXT } from "../memory/buffers";
import { copyShort } from "../memory/bytes";
import { normalize } from "./normalize";
import { KIND_HTTP, KIND_HTTPS, KIND_OTHER, url } from "./parts";
import { clearBase, resolve } from "./resolve";
import { State } from "./state";
import { makeSurt, surtPtr } from "./surt";

/** Where the last SURT lies: its own buffer, or the href's. */
let start: usize = 0;
let text: usize = 0;

export function surtTextPtr(): usize {
  return text;
}

/** The address of the answers, 0 = no room. Ends that lie beyond the input, or before the one before, are mended. */
export function surtsOfInput(count: usize, maxBytes: usize, rules: u32): usize {
  if (count << 2 > capacity(INPUT_ENDS)) return 0;
  const out = reserve(OUTPUT, (count << 2) + 8);
  if (out == 0) return 0;
  const input = reserve(INPUT, 0);
  const inputBytes = capacity(INPUT);
  const ends = reserve(INPUT_ENDS, 0);
  let from: usize = 0;
  let length: usize = 0;
  text = reserve(TEXT, 0);
  for (let i: usize = 0; i < count; i++) {
    const to = max<usize>(from, min<usize>(load<u32>(ends + (i << 2)), inputBytes));
    const bytes = surtOf(input + from, to - from, maxBytes, rules);
    text = reserveKept(TEXT, length + bytes);
    if (text == 0) return 0;
    copyShort(text + length, start, bytes);
    length += bytes;
    store<u32>(out + (i << 2), <u32>length);
    from = to;
  }
  return out;
}

/** Its bytes, which lie at `start`; 0 = none. */
function surtOf(p: usize, length: usize, maxBytes: usize, rules: u32): usize {
  clearBase();
  const parsed = resolve(p, length);
  if (parsed < 0) return 0;
  start = State.start;
  if (url.kind == KIND_OTHER) return parsed;
  if (url.kind != KIND_HTTP && url.kind != KIND_HTTPS) return 0;
  // With userinfo the URL has no key, and no SURT either.
  if (<usize>url.queryEnd > maxBytes || normalize(rules) < 0) return 0;
  const bytes = max(makeSurt(), 0);
  start = surtPtr();
  return bytes;
}
