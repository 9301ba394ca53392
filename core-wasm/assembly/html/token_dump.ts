/**
 * Tokens written down for the tokenizer's conformance tests; off while pages are scanned.
 * A record is its type (u8) and, by type: characters, comment, doctype: text; end tag: name; start tag: self-closing
 * (u8), name, count of attributes (u32), then name and value of each. Text is a u32 length and UTF-8.
 */

import { reserveKept } from "../memory/buffers";
import { lower } from "./bytes";
import { HTML_TOKENS } from "./buffers";
import { decode, IN_ATTRIBUTE, NUL_TO_REPLACEMENT, REFERENCES_ON } from "./decode";

export const DUMP_CHARACTERS: u32 = 1;
export const DUMP_COMMENT: u32 = 2;
export const DUMP_DOCTYPE: u32 = 3;
export const DUMP_START: u32 = 4;
export const DUMP_END: u32 = 5;

export let dumping: bool = false;
let used: usize = 0;
/** Attributes of the tag at hand: kept until its end, since a tag that is cut off is none. */
let tagAt: usize = 0;
let attributes: u32 = 0;

export function startDump(): void {
  dumping = true;
  used = 0;
  attributes = 0;
  tagAt = 0;
}

export function stopDump(): void {
  dumping = false;
}

export function dumpPtr(): usize {
  return reserveKept(HTML_TOKENS, 8);
}

export function dumpLength(): usize {
  return used;
}

/** Room for `bytes` more; 0 = none, and the dump stays as it is. */
function room(bytes: usize): usize {
  const at = reserveKept(HTML_TOKENS, used + bytes + 64);
  return at == 0 ? 0 : at + used;
}

function put8(value: u32): void {
  const at = room(1);
  if (at == 0) return;
  store<u8>(at, <u8>value);
  used++;
}

function put32(value: u32): void {
  const at = room(4);
  if (at == 0) return;
  store<u32>(at, value);
  used += 4;
}

function putText(start: usize, end: usize, how: u32): void {
  const at = room(4 + (end - start) * 3);
  if (at == 0) return;
  const length = decode(start, end, at + 4, how);
  store<u32>(at, <u32>length);
  used += 4 + length;
}

function putName(start: usize, end: usize): void {
  putText(start, end, NUL_TO_REPLACEMENT);
  const at = reserveKept(HTML_TOKENS, 8) + used;
  const length: usize = lengthOfName(start, end);
  for (let i: usize = 1; i <= length; i++) store<u8>(at - i, <u8>lower(<u32>load<u8>(at - i)));
}

/** Bytes that a name has after NUL was replaced by three. */
function lengthOfName(start: usize, end: usize): usize {
  let length = end - start;
  for (let p = start; p < end; p++) if (load<u8>(p) == 0) length += 2;
  return length;
}

/** Text that is emitted as it stands but for CR and NUL. */
export function dumpRange(type: u32, start: usize, end: usize): void {
  put8(type);
  putText(start, end, NUL_TO_REPLACEMENT);
}

export function dumpCharacters(start: usize, end: usize, how: u32): void {
  put8(DUMP_CHARACTERS);
  putText(start, end, how);
}

/** Before a tag is read: its record begins here, and is dropped by `dropTag`. */
export function openTag(isEnd: bool, start: usize, end: usize): void {
  tagAt = used;
  attributes = 0;
  put8(isEnd ? DUMP_END : DUMP_START);
  if (!isEnd) put8(0);
  putName(start, end);
  if (!isEnd) put32(0);
}

export function dumpAttribute(name: usize, nameEnd: usize, start: usize, end: usize): void {
  const base = reserveKept(HTML_TOKENS, 8);
  if (load<u8>(base + tagAt) != DUMP_START) return;
  attributes++;
  putName(name, nameEnd);
  putText(start, end, REFERENCES_ON | IN_ATTRIBUTE | NUL_TO_REPLACEMENT);
}

export function closeTag(selfClosing: bool): void {
  const at = reserveKept(HTML_TOKENS, 8) + tagAt;
  if (<u32>load<u8>(at) != DUMP_START) return;
  store<u8>(at, selfClosing ? 1 : 0, 1);
  store<u32>(at + 2 + 4 + load<u32>(at, 2), attributes);
}

export function dropTag(): void {
  used = tagAt;
}
