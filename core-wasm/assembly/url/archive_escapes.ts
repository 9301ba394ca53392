/**
 * Path and query as web archives look them up: escapes undone again and again until none is left, then white space,
 * control characters, "#", "%" and all beyond ASCII escaped once (Google Safe Browsing's canonicalisation, which
 * webarchive-commons and the surt package share). Invariant: linear; in place where it shrinks.
 */

import { hexValue, writeEscaped } from "./bytes";

const SLASH: u32 = 0x2f;

/**
 * Undoes the escapes of [p, end) to `out` (which may be p): its end. One pass does what repeated passes would: escapes
 * don't overlap, so each is undone as soon as its last digit is there, also when that digit was itself escaped.
 */
export function unescapeAll(p: usize, end: usize, out: usize): usize {
  const start = out;
  for (; p < end; p++) {
    store<u8>(out++, load<u8>(p));
    while (out - start >= 3 && load<u8>(out - 3) == 0x25) {
      const high = hexValue(load<u8>(out - 2));
      const low = hexValue(load<u8>(out - 1));
      if (high > 15 || low > 15) break;
      out -= 2;
      store<u8>(out - 1, <u8>((high << 4) | low));
    }
  }
  return out;
}

/** Writes [p, end) at `out`, at most three bytes for each: its end. */
export function escapeOnce(p: usize, end: usize, out: usize): usize {
  for (; p < end; p++) {
    const c: u32 = load<u8>(p);
    if (c <= 0x20 || c >= 0x7f || c == 0x23 || c == 0x25) out = writeEscaped(out, c);
    else store<u8>(out++, <u8>c);
  }
  return out;
}

/** Takes dot segments and empty segments out of the path [p, end), in place; it begins with a slash. */
export function resolveDots(p: usize, end: usize): usize {
  let out = p;
  for (let from = p; from < end;) {
    let stop = from + 1;
    while (stop < end && <u32>load<u8>(stop) != SLASH) stop++;
    const length = stop - from - 1;
    const isDot = length == 1 && load<u8>(from, 1) == 0x2e;
    const isDots = length == 2 && load<u16>(from, 1) == 0x2e2e;
    if (isDots) {
      while (out > p && <u32>load<u8>(--out) != SLASH) {}
    } else if (length > 0 && !isDot) {
      memory.copy(out, from, stop - from);
      out += stop - from;
    }
    const isLast = stop == end;
    if (isLast && (length == 0 || isDot || isDots)) store<u8>(out++, <u8>SLASH);
    from = stop;
  }
  return out;
}
