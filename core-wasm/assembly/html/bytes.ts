/**
 * What a byte is to the HTML tokenizer, and the search for one byte.
 * Invariant: nothing is read outside [p, end).
 */

/** ASCII white space of HTML: tab, LF, FF, CR, space. */
export const SPACE: u32 = 1;
export const ALPHA: u32 = 2;
export const DIGIT: u32 = 4;
/** Ends a tag name: white space, `/`, `>`. */
export const NAME_END: u32 = 8;
/** Ends an attribute name: white space, `/`, `>`, `=`. */
export const ATTRIBUTE_END: u32 = 16;
/** Ends an unquoted value: white space, `>`. */
export const VALUE_END: u32 = 32;
/** Is not itself in a value: NUL, CR, `&`. */
export const ODD: u32 = 64;

export const LT: u32 = 0x3c;
export const GT: u32 = 0x3e;
export const SLASH: u32 = 0x2f;
export const BANG: u32 = 0x21;
export const DASH: u32 = 0x2d;
export const EQUALS: u32 = 0x3d;
export const AMP: u32 = 0x26;
export const SEMICOLON: u32 = 0x3b;
export const QUOTE: u32 = 0x22;
export const APOSTROPHE: u32 = 0x27;
export const CR: u32 = 0x0d;
export const LF: u32 = 0x0a;
export const BLANK: u32 = 0x20;

// deno-fmt-ignore
const CLASSES: usize = memory.data<u8>([
  64, 0, 0, 0, 0, 0, 0, 0, 0, 57, 57, 0, 57, 121, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  57, 0, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0, 24, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 0, 0, 0, 16, 56, 0,
  0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0,
  0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);

// @ts-ignore: decorator
@inline
export function is(byte: u32, classes: u32): bool {
  return (<u32>load<u8>(CLASSES + <usize>byte) & classes) != 0;
}

/** ASCII lower case. */
// @ts-ignore: decorator
@inline
export function lower(byte: u32): u32 {
  return byte - 0x41 < 26 ? byte | 0x20 : byte;
}

/** The first `byte` in [p, end), or `end`. */
export function find(from: usize, end: usize, byte: u32): usize {
  let p = from;
  const needle = i8x16.splat(<i8>byte);
  while (p + 16 <= end) {
    const hits = i8x16.bitmask(i8x16.eq(v128.load(p), needle));
    if (hits != 0) return p + <usize>ctz<i32>(hits);
    p += 16;
  }
  while (p < end && <u32>load<u8>(p) != byte) p++;
  return p;
}

/** The first byte of [p, end) that isn't white space, or `end`. */
export function skipSpace(from: usize, end: usize): usize {
  let p = from;
  while (p < end && is(<u32>load<u8>(p), SPACE)) p++;
  return p;
}

/** Where [p, end) ends when white space at its end is left out. */
export function trimEnd(p: usize, from: usize): usize {
  let end = from;
  while (end > p && is(<u32>load<u8>(end - 1), SPACE)) end--;
  return end;
}

/** Whether [p, end) is `word`, which is ASCII in lower case, in any case. */
export function equalsIgnoringCase(p: usize, end: usize, word: string): bool {
  return <usize>word.length == end - p && startsIgnoringCase(p, end, word);
}

/** Whether [p, end) begins with `word`, which is ASCII in lower case, in any case. */
export function startsIgnoringCase(p: usize, end: usize, word: string): bool {
  const length = <usize>word.length;
  if (end - p < length) return false;
  const letters = changetype<usize>(word);
  for (let i: usize = 0; i < length; i++) {
    if (lower(<u32>load<u8>(p + i)) != <u32>load<u16>(letters + (i << 1))) return false;
  }
  return true;
}

/** Writes a code point as UTF-8 and returns its length; the caller has four bytes of room. */
export function writeCodePoint(code: u32, out: usize): usize {
  if (code < 0x80) {
    store<u8>(out, <u8>code);
    return 1;
  }
  if (code < 0x800) {
    store<u8>(out, <u8>(0xc0 | (code >> 6)));
    store<u8>(out, <u8>(0x80 | (code & 63)), 1);
    return 2;
  }
  if (code < 0x10000) {
    store<u8>(out, <u8>(0xe0 | (code >> 12)));
    store<u8>(out, <u8>(0x80 | ((code >> 6) & 63)), 1);
    store<u8>(out, <u8>(0x80 | (code & 63)), 2);
    return 3;
  }
  store<u8>(out, <u8>(0xf0 | (code >> 18)));
  store<u8>(out, <u8>(0x80 | ((code >> 12) & 63)), 1);
  store<u8>(out, <u8>(0x80 | ((code >> 6) & 63)), 2);
  store<u8>(out, <u8>(0x80 | (code & 63)), 3);
  return 4;
}
