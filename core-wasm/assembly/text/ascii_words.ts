/**
 * Which of sixty-four bytes are ASCII letters and digits, a bit each: words are then found without a look at each byte.
 * Invariant: reads sixty-four bytes.
 */

/** Bits of the bytes beyond ASCII, as `lettersAt` found them. */
export let beyondAscii: u64 = 0;

// @ts-ignore: decorator
@inline
function lettersIn(block: v128): u64 {
  const letters = i8x16.lt_u(i8x16.sub(v128.or(block, i8x16.splat(0x20)), i8x16.splat(0x61)), i8x16.splat(26));
  const digits = i8x16.lt_u(i8x16.sub(block, i8x16.splat(0x30)), i8x16.splat(10));
  return <u64>(<u32>i8x16.bitmask(v128.or(letters, digits)) & 0xffff);
}

// @ts-ignore: decorator
@inline
function highIn(block: v128): u64 {
  return <u64>(<u32>i8x16.bitmask(block) & 0xffff);
}

/** Bits of the letters and digits in the sixty-four bytes at p. */
// @ts-ignore: decorator
@inline
export function lettersAt(p: usize): u64 {
  const a = v128.load(p);
  const b = v128.load(p, 16);
  const c = v128.load(p, 32);
  const d = v128.load(p, 48);
  beyondAscii = highIn(a) | (highIn(b) << 16) | (highIn(c) << 32) | (highIn(d) << 48);
  return lettersIn(a) | (lettersIn(b) << 16) | (lettersIn(c) << 32) | (lettersIn(d) << 48);
}
