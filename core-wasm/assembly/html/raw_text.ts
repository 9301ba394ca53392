/**
 * Where text without markup ends: RCDATA, RAWTEXT and script data (WHATWG HTML 13.2.5.9-31).
 * Invariant: linear; the answer is the `<` of the end tag that closes the text, or the page's end.
 */

import { ALPHA, BANG, DASH, find, GT, is, lower, LT, NAME_END, SLASH } from "./bytes";

/** The open element's name in lower case, and its length. */
const NAME: usize = memory.data(32);
let nameLength: usize = 0;

/** Takes [start, end) as the name that the closing end tag must have. Names beyond 32 bytes have no raw text. */
export function openRawText(start: usize, end: usize): void {
  nameLength = min<usize>(end - start, 32);
  for (let i: usize = 0; i < nameLength; i++) store<u8>(NAME + i, <u8>lower(<u32>load<u8>(start + i)));
}

/** Whether `</` at p begins the appropriate end tag: the open element's name, then white space, `/` or `>`. */
function isClosing(p: usize, end: usize): bool {
  if (p + 2 + nameLength >= end || <u32>load<u8>(p, 1) != SLASH) return false;
  for (let i: usize = 0; i < nameLength; i++) {
    if (lower(<u32>load<u8>(p + i, 2)) != <u32>load<u8>(NAME + i)) return false;
  }
  return is(<u32>load<u8>(p + nameLength, 2), NAME_END);
}

/** RCDATA and RAWTEXT. */
export function endOfRawText(from: usize, end: usize): usize {
  let p = from;
  while (true) {
    p = find(p, end, LT);
    if (p >= end || isClosing(p, end)) return p;
    p++;
  }
  return p;
}

/** Script data: `<!--` begins the escaped states, in which `<script` begins the double escaped one. */
export function endOfScript(from: usize, end: usize): usize {
  let p = from;
  while (true) {
    p = find(p, end, LT);
    if (p >= end || isClosing(p, end)) return p;
    if (isCommentStart(p, end)) {
      p = endOfEscape(p + 2, end);
      if (closed) return p;
    } else p++;
  }
  return p;
}

function isCommentStart(p: usize, end: usize): bool {
  return p + 3 < end && <u32>load<u8>(p, 1) == BANG && <u32>load<u8>(p, 2) == DASH && <u32>load<u8>(p, 3) == DASH;
}

/** endOfEscape met the closing end tag. */
let closed: bool = false;

/**
 * From the first dash of `<!--`: to the byte after `-->`, where script data goes on, or to the closing end tag.
 * The two dashes of the start count for the end: `<!-->` is a whole escape (13.2.5.16, 13.2.5.22).
 */
function endOfEscape(from: usize, end: usize): usize {
  let p = from;
  let dashes: u32 = 0;
  let doubled = false;
  closed = false;
  while (p < end) {
    const byte = <u32>load<u8>(p);
    if (byte == DASH) dashes++;
    else {
      if (byte == GT && dashes >= 2) return p + 1;
      dashes = 0;
      if (byte == LT) {
        if (!doubled) {
          if (isClosing(p, end)) {
            closed = true;
            return p;
          }
          if (isScriptWord(p + 1, end)) doubled = true;
        } else if (p + 1 < end && <u32>load<u8>(p, 1) == SLASH && isScriptWord(p + 2, end)) doubled = false;
      }
    }
    p++;
  }
  closed = true;
  return end;
}

/** Whether the letters at p are exactly `script`, then white space, `/` or `>` (13.2.5.26, 13.2.5.31). */
function isScriptWord(p: usize, end: usize): bool {
  if (p + 6 >= end) return false;
  let word: u64 = 0;
  for (let i: usize = 0; i < 6; i++) {
    const byte = <u32>load<u8>(p + i);
    if (!is(byte, ALPHA)) return false;
    word |= <u64>lower(byte) << (i << 3);
  }
  return word == 0x747069726373 && is(<u32>load<u8>(p, 6), NAME_END);
}
