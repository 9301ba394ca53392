/**
 * The attributes of the tag at hand that a page scan reads. The first of a name wins (WHATWG HTML 13.2.5.33).
 * Invariant: a value is a range of the page's source, undecoded; `takeValue` decodes it.
 */

import { capacity, reserve } from "../memory/buffers";
import { is, ODD } from "./bytes";
import { HTML_ATTRIBUTES, HTML_VALUES } from "./buffers";
import { decode, IN_ATTRIBUTE, NUL_TO_REPLACEMENT, REFERENCES_ON } from "./decode";
import { define, lookUp, TABLE_BYTES } from "./name_table";

export const HREF: u32 = 1;
export const SRC: u32 = 2;
export const REL: u32 = 3;
export const ACTION: u32 = 4;
export const METHOD: u32 = 5;
export const CONTENT_VALUE: u32 = 6;
export const HTTP_EQUIV: u32 = 7;
export const NAME: u32 = 8;
export const LANG: u32 = 9;
export const SRCSET: u32 = 10;
export const POSTER: u32 = 11;
export const DATA: u32 = 12;
export const TYPE: u32 = 13;
export const ENCODING: u32 = 14;
/** color, face, size: a `font` that has one ends foreign content. */
export const FONT_STYLE: u32 = 15;
export const XLINK_HREF: u32 = 16;
export const HREFLANG: u32 = 17;

/** Longest value that is decoded, in bytes of source. Longer ones count as absent, and `valueTooLong` says so. */
export const VALUE_BYTES: usize = 64 * 1024;

/** Bit n: attribute n is there. */
export let attributeMask: u32 = 0;
/** The value that takeValue found. Valid until the scan ends. */
export let valuePtr: usize = 0;
export let valueLen: usize = 0;
/** A value was left out since `resetValues`: too long, or no room for decoded values. */
export let valueTooLong: bool = false;

const RANGES: usize = memory.data(32 * 8, 8);
let table: usize = 0;
let arena: usize = 0;
let arenaEnd: usize = 0;

/** Prepares the tables and room for decoded values of a page of `pageBytes`; false without memory. */
export function prepareAttributes(pageBytes: usize): bool {
  arena = reserve(HTML_VALUES, pageBytes + VALUE_BYTES * 4);
  arenaEnd = arena + capacity(HTML_VALUES);
  valueTooLong = false;
  if (arena == 0) return false;
  if (table != 0) return true;
  const at = reserve(HTML_ATTRIBUTES, TABLE_BYTES);
  if (at == 0) return false;
  memory.fill(at, 0, TABLE_BYTES);
  define(at, "href", HREF);
  define(at, "src", SRC);
  define(at, "rel", REL);
  define(at, "action", ACTION);
  define(at, "method", METHOD);
  define(at, "content", CONTENT_VALUE);
  define(at, "http-equiv", HTTP_EQUIV);
  define(at, "name", NAME);
  define(at, "lang", LANG);
  define(at, "srcset", SRCSET);
  define(at, "poster", POSTER);
  define(at, "data", DATA);
  define(at, "type", TYPE);
  define(at, "encoding", ENCODING);
  define(at, "color face size", FONT_STYLE);
  define(at, "xlink:href", XLINK_HREF);
  define(at, "hreflang", HREFLANG);
  table = at;
  return true;
}

export function resetAttributes(): void {
  attributeMask = 0;
}

/** Keeps [start, end) as the value of the attribute with this key, unless the tag has it already. */
export function keepAttribute(key: u64, start: usize, end: usize): void {
  const number = lookUp(table, key);
  if (number == 0 || (attributeMask & (1 << number)) != 0) return;
  attributeMask |= 1 << number;
  store<u32>(RANGES + (<usize>number << 3), <u32>start);
  store<u32>(RANGES + (<usize>number << 3), <u32>end, 4);
}

// @ts-ignore: decorator
@inline
export function has(attribute: u32): bool {
  return (attributeMask & (1 << attribute)) != 0;
}

/** Sets valuePtr and valueLen to the attribute's value, decoded; false when absent or too long. */
export function takeValue(attribute: u32): bool {
  if (!has(attribute)) return false;
  const start: usize = load<u32>(RANGES + (<usize>attribute << 3));
  const end: usize = load<u32>(RANGES + (<usize>attribute << 3), 4);
  valuePtr = start;
  valueLen = end - start;
  let p = start;
  while (p < end && !is(<u32>load<u8>(p), ODD)) p++;
  if (p == end) return true;
  const out = takeRoom((end - start) * 3);
  if (out == 0) return false;
  valuePtr = out;
  valueLen = decode(start, end, out, REFERENCES_ON | IN_ATTRIBUTE | NUL_TO_REPLACEMENT);
  keepRoom(out + valueLen);
  return true;
}

/** Room for `bytes` among the decoded values, 0 when there is none; `keepRoom` says where its use ends. */
export function takeRoom(bytes: usize): usize {
  if (bytes <= VALUE_BYTES * 3 && bytes <= arenaEnd - arena) return arena;
  valueTooLong = true;
  return 0;
}

export function keepRoom(end: usize): void {
  arena = end;
}
