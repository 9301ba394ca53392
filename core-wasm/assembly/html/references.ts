/**
 * Character references (WHATWG HTML 13.2.5.72-80): named, decimal, hexadecimal.
 * Invariant: at most REFERENCE_ROOM bytes are written; a reference is never longer in UTF-8 than 6/5 of its source.
 */

import { reserve } from "../memory/buffers";
import { ALPHA, DIGIT, EQUALS, is, lower, SEMICOLON, writeCodePoint } from "./bytes";
import { HTML_REFERENCES } from "./buffers";
import { REFERENCE_NAMES, REFERENCES } from "./references_table";

/** Room that `reference` needs at `out`: two code points. */
export const REFERENCE_ROOM: usize = 8;
/** Longest name without its semicolon, and the longest and shortest that stand without one. */
const LONGEST: usize = 31;
const LONGEST_BARE: usize = 6;
const SHORTEST_BARE: usize = 2;

/** Bytes that the last `reference` wrote. */
export let referenceBytes: usize = 0;

/** What 0x80-0x9F mean (13.2.5.80): windows-1252, and themselves where that has nothing. */
// deno-fmt-ignore
const C1: usize = memory.data<u16>([
  0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d, 0x017d,
  0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,
  0x017e, 0x0178,
]);

/** The code point of a byte 0x80-0x9F of windows-1252. */
export function windows1252(byte: u32): u32 {
  return <u32>load<u16>(C1 + (<usize>(byte - 0x80) << 1));
}

/**
 * Decodes the reference whose `&` is at p, into `out`. Returns the bytes of [p, end) that it takes, 0 when `&` is only
 * itself. In an attribute a name without semicolon isn't a reference before `=` or an alphanumeric (13.2.5.73).
 */
export function reference(p: usize, end: usize, out: usize, inAttribute: bool): usize {
  if (p + 2 >= end) return 0;
  const first = <u32>load<u8>(p, 1);
  if (first == 0x23) return numeric(p, end, out);
  if (!is(first, ALPHA)) return 0;
  const name = p + 1;
  const stop = min<usize>(end, name + LONGEST + 1);
  let q = name;
  while (q < stop && is(<u32>load<u8>(q), ALPHA | DIGIT)) q++;
  if (q < end && <u32>load<u8>(q) == SEMICOLON && named(name, q - name, false, out)) return q + 1 - p;
  let length = min<usize>(q - name, LONGEST_BARE);
  for (; length >= SHORTEST_BARE; length--) {
    if (!named(name, length, true, out)) continue;
    const after = name + length;
    if (inAttribute && after < end) {
      const next = <u32>load<u8>(after);
      if (next == EQUALS || is(next, ALPHA | DIGIT)) return 0;
    }
    return length + 1;
  }
  return 0;
}

function numeric(p: usize, end: usize, out: usize): usize {
  let q = p + 2;
  const hexadecimal = lower(<u32>load<u8>(q)) == 0x78;
  if (hexadecimal) q++;
  const from = q;
  let code: u32 = 0;
  while (q < end) {
    const byte = <u32>load<u8>(q);
    let digit: u32 = byte - 0x30;
    if (digit > 9) {
      digit = lower(byte) - 0x61;
      if (!hexadecimal || digit > 5) break;
      digit += 10;
    }
    // Saturates above the last code point, so that it can't wrap around.
    if (code <= 0x10ffff) code = code * (hexadecimal ? 16 : 10) + digit;
    q++;
  }
  if (q == from) return 0;
  if (q < end && <u32>load<u8>(q) == SEMICOLON) q++;
  if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) code = 0xfffd;
  else if (code >= 0x80 && code <= 0x9f) code = windows1252(code);
  referenceBytes = writeCodePoint(code, out);
  return q - p;
}

// The index: 4,096 slots of u16 (entry + 1), then the entries (16 bytes: name offset u32, length u16, bare u16, code
// points 2 x u32), then the names.
const SLOTS: usize = 4096;
const ENTRIES: usize = SLOTS << 1;
const NAMES: usize = ENTRIES + (2125 << 4);
const INDEX_BYTES: usize = NAMES + 20_000;
let index: usize = 0;

function hash(name: usize, length: usize): usize {
  let h: u32 = 0x811c9dc5;
  for (let i: usize = 0; i < length; i++) h = (h ^ <u32>load<u8>(name + i)) * 0x01000193;
  return <usize>(h ^ (h >> 15)) & (SLOTS - 1);
}

function named(name: usize, length: usize, bare: bool, out: usize): bool {
  if (index == 0) buildIndex();
  if (index == 0) return false;
  let slot = hash(name, length);
  while (true) {
    const number = <usize>load<u16>(index + (slot << 1));
    if (number == 0) return false;
    const entry = index + ENTRIES + ((number - 1) << 4);
    if (
      <usize>load<u16>(entry, 4) == length && (!bare || load<u16>(entry, 6) != 0) &&
      memory.compare(index + NAMES + <usize>load<u32>(entry), name, length) == 0
    ) {
      referenceBytes = writeCodePoint(load<u32>(entry, 8), out);
      const second = load<u32>(entry, 12);
      if (second != 0) referenceBytes += writeCodePoint(second, out + referenceBytes);
      return true;
    }
    slot = (slot + 1) & (SLOTS - 1);
  }
  return false;
}

// @ts-ignore: decorator
@inline
function hexDigit(letter: u32): u32 {
  return letter <= 0x39 ? letter - 0x30 : letter - 0x57;
}

/** Reads references_table.ts. It is constant, so nothing in it needs checking. */
function buildIndex(): void {
  const at = reserve(HTML_REFERENCES, INDEX_BYTES);
  if (at == 0) return;
  memory.fill(at, 0, INDEX_BYTES);
  let p = changetype<usize>(REFERENCES);
  let names = at + NAMES;
  let previous = names;
  for (let number: usize = 0; number < <usize>REFERENCE_NAMES; number++) {
    const digit = <u32>load<u16>(p);
    const shared = <usize>(digit <= 0x39 ? digit - 0x30 : digit - 0x37);
    const name = names;
    memory.copy(name, previous, shared);
    names += shared;
    for (p += 2; is(<u32>load<u16>(p), ALPHA | DIGIT); p += 2) store<u8>(names++, <u8>load<u16>(p));
    const entry = at + ENTRIES + (number << 4);
    store<u32>(entry, <u32>(name - at - NAMES));
    store<u16>(entry, <u16>(names - name), 4);
    store<u16>(entry, load<u16>(p) == BANG_MARK ? 1 : 0, 6);
    p = readCodePoints(p + 2, entry + 8);
    let slot = hash(name, names - name);
    while (load<u16>(at + (slot << 1)) != 0) slot = (slot + 1) & (SLOTS - 1);
    store<u16>(at + (slot << 1), <u16>(number + 1));
    previous = name;
  }
  index = at;
}

const BANG_MARK: u16 = 0x21;

/** Reads `hex[+hex],` at p into two u32 at `out`; returns where the next entry begins. */
function readCodePoints(from: usize, out: usize): usize {
  let p = from;
  let to = out;
  let code: u32 = 0;
  for (;; p += 2) {
    const letter = <u32>load<u16>(p);
    if (letter == 0x2b || letter == 0x2c) {
      store<u32>(to, code);
      to += 4;
      code = 0;
      if (letter == 0x2c) return p + 2;
    } else code = (code << 4) | hexDigit(letter);
  }
  return p;
}
