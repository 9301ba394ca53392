/**
 * What of a page tells its charset: the bytes beyond ASCII and those beside them.
 * Invariant: at most SAMPLE_BYTES; linear in the page.
 */

import { CHARSET_0, reserve } from "../memory/buffers";

const SAMPLE: i32 = CHARSET_0 + 7;
export const SAMPLE_BYTES: usize = 2048;
/** Of a longer run of ASCII the first two bytes are kept (trail bytes may be ASCII), and the last. */
const KEPT: usize = 3;

export let sampleEnd: usize = 0;
/** Bytes of the sample beyond ASCII. */
export let highBytes: u32 = 0;

/** The address of the sample of [from, from + len); 0 without memory. */
export function takeSample(from: usize, len: usize): usize {
  const sample = reserve(SAMPLE, SAMPLE_BYTES + 16);
  if (sample == 0) return 0;
  const end = from + len;
  const full = sample + SAMPLE_BYTES - KEPT - 1;
  let to = sample;
  let p = from;
  highBytes = 0;
  while (p < end && to < full) {
    const next = firstHigh(p, end);
    if (next - p <= KEPT + 1) {
      for (; p < next; p++) store<u8>(to++, load<u8>(p));
    } else {
      // The page's begin has nothing before it that a trail byte could belong to.
      store<u16>(to, load<u16>(p));
      store<u8>(to, 0x20, 2);
      store<u8>(to, load<u8>(next - 1), 3);
      to += 4;
      p = next;
    }
    for (; p < end && load<i8>(p) < 0 && to < full; p++) {
      store<u8>(to++, load<u8>(p));
      highBytes++;
    }
  }
  sampleEnd = to;
  return sample;
}

/** The first byte beyond ASCII in [p, end), or `end`. */
export function firstHigh(from: usize, end: usize): usize {
  let p = from;
  while (p + 16 <= end) {
    const mask = i8x16.bitmask(v128.load(p));
    if (mask != 0) return p + <usize>ctz<i32>(mask);
    p += 16;
  }
  while (p < end && load<i8>(p) >= 0) p++;
  return p;
}
