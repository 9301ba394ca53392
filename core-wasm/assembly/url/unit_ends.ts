/**
 * Ends of strings as a host counts them, in UTF-16 units, to ends in the bytes of UTF-8 that it wrote.
 * Invariant: reads nothing beyond the input; linear in it.
 */

import { capacity, INPUT, INPUT_ENDS, reserve } from "../memory/buffers";

/** A byte that begins a character: none of 0x80 to 0xbf. */
// @ts-ignore: decorator
@inline
function isLead(byte: u32): bool {
  return (byte & 0xc0) != 0x80;
}

/**
 * Turns the `count` ends in INPUT_ENDS from units to bytes of INPUT, of which `bytes` were written: a character of four
 * bytes is two units, each other is one. An end within a character, or beyond the input, becomes that of the character, or
 * the input's.
 */
export function unitEndsToBytes(count: usize, bytes: usize): void {
  if (count << 2 > capacity(INPUT_ENDS)) return;
  const input = reserve(INPUT, 0);
  const last = input + min<usize>(bytes, capacity(INPUT));
  const ends = reserve(INPUT_ENDS, 0);
  let p = input;
  let units: u32 = 0;
  for (let i: usize = 0; i < count; i++) {
    const at = ends + (i << 2);
    const wanted = load<u32>(at);
    for (; p + 16 <= last; p += 16) {
      const block = v128.load(p);
      const leads = popcnt<u32>(<u32>i8x16.bitmask(i8x16.ge_s(block, i8x16.splat(-64))));
      const doubles = popcnt<u32>(<u32>i8x16.bitmask(i8x16.ge_u(block, i8x16.splat(<i8>0xf0))));
      if (units + leads + doubles > wanted) break;
      units += leads + doubles;
    }
    while (p < last && units < wanted) {
      const byte = <u32>load<u8>(p++);
      if (isLead(byte)) units += byte >= 0xf0 ? 2 : 1;
    }
    while (p < last && !isLead(load<u8>(p))) p++;
    store<u32>(at, <u32>(p - input));
  }
}
