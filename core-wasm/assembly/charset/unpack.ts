/**
 * Reads packed indexes (charsets/pack.ts says how they are packed): pointer by pointer.
 * Invariant: reading ends with the index; a reader has one index open at a time.
 */

import { INDEX_STARTS, INDEXES } from "./indexes_data";

let at: usize = 0;
let stop: usize = 0;
let next: u32 = 0;
let before: u32 = 0;
/** Code points that still follow `before`. */
let follows: u32 = 0;

/** Pointer of the entry that nextEntry found. */
export let entryPointer: u32 = 0;
export let entryCode: u32 = 0;

export function openIndex(index: u32): void {
  const starts = INDEX_STARTS + (<usize>index << 2);
  at = INDEXES + <usize>load<u32>(starts);
  stop = INDEXES + <usize>load<u32>(starts, 4);
  next = 0;
  before = 0;
  follows = 0;
}

/** Steps to the next pointer that has a code point; false at the end. */
export function nextEntry(): bool {
  if (follows != 0) {
    follows--;
    return found(before + 1);
  }
  while (at < stop) {
    const byte = <u32>load<u8>(at++);
    if (byte < 0x80) return found(before + byte + 1);
    if (byte < 0xe0) return found(0x4e00 + ((byte - 0x80) << 8) + take());
    if (byte < 0xf0) next += byte - 0xdf;
    else if (byte == 0xf0) next += take() + 17;
    else if (byte == 0xf1) {
      follows = take() + 1;
      return found(before + 1);
    } else {
      const low = take();
      return found((byte == 0xf3 ? 0x20000 : 0) | low | (take() << 8));
    }
  }
  return false;
}

function take(): u32 {
  return <u32>load<u8>(at++);
}

function found(code: u32): bool {
  before = code;
  entryCode = code;
  entryPointer = next++;
  return true;
}
