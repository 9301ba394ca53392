/**
 * ISO-2022-JP's encoder (Encoding 12.2.2): what it writes depends on what was written before.
 * Invariant: at most eight bytes a character; a text begins and ends in ASCII.
 */

import { encodeCode } from "./encoder";
import { INDEX_KATAKANA } from "./ids";
import { entryCode, entryPointer, nextEntry, openIndex } from "./unpack";

const ASCII: u32 = 0;
const ROMAN: u32 = 1;
const PAIRS: u32 = 2;

let state: u32 = ASCII;
let out: usize = 0;
/** The character that had no bytes in the last call: a reference stands for it; 0 = it had. */
export let missing: u32 = 0;

export function beginIso2022Jp(): void {
  state = ASCII;
}

/** Writes `code` to `to` and returns where the next is written. Only with the encoder of ISO-2022-JP open. */
export function writeIso2022Jp(code: u32, to: usize): usize {
  out = to;
  missing = 0;
  if (state != PAIRS && (code == 0x0e || code == 0x0f || code == 0x1b)) {
    missing = 0xfffd;
    return to;
  }
  if (code < 0x80) writeAscii(code);
  else if (code == 0xa5 || code == 0x203e) {
    switchTo(ROMAN);
    writeByte(code == 0xa5 ? 0x5c : 0x7e);
  } else writePair(code);
  return out;
}

/** Back to ASCII, as a text must end. */
export function endIso2022Jp(to: usize): usize {
  out = to;
  switchTo(ASCII);
  return out;
}

function writeAscii(code: u32): void {
  if (state == PAIRS || code == 0x5c || code == 0x7e) switchTo(ASCII);
  // Reached from PAIRS: now in ASCII these are errors as well.
  if (code == 0x0e || code == 0x0f || code == 0x1b) missing = 0xfffd;
  else writeByte(code);
}

function writePair(code: u32): void {
  const pair = encodeCode(code >= 0xff61 && code <= 0xff9f ? fullWidth(code - 0xff61) : code);
  if (pair == 0) {
    if (state == PAIRS) switchTo(ASCII);
    missing = code;
    return;
  }
  switchTo(PAIRS);
  writeByte(pair >> 8);
  writeByte(pair & 0xff);
}

function fullWidth(pointer: u32): u32 {
  openIndex(INDEX_KATAKANA);
  while (nextEntry()) if (entryPointer == pointer) return entryCode;
  return 0;
}

function switchTo(wanted: u32): void {
  if (state == wanted) return;
  state = wanted;
  writeByte(0x1b);
  writeByte(wanted == PAIRS ? 0x24 : 0x28);
  writeByte(wanted == ROMAN ? 0x4a : 0x42);
}

function writeByte(byte: u32): void {
  store<u8>(out++, <u8>byte);
}
