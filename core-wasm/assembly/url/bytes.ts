/**
 * What each byte means in a URL: percent-encode sets (URL Standard 1.3), forbidden host code points (3.2), classes.
 * Invariant: the tables are written once, when the module starts, and only read afterwards.
 */

export const SET_C0: u8 = 1;
export const SET_FRAGMENT: u8 = 2;
export const SET_QUERY: u8 = 4;
export const SET_SPECIAL_QUERY: u8 = 8;
export const SET_PATH: u8 = 16;
export const SET_USERINFO: u8 = 32;
export const FORBIDDEN_HOST: u8 = 64;
export const FORBIDDEN_DOMAIN: u8 = 128;
/** A second table: bytes at which a loop over an authority or a path has to look closer. */
export const AUTHORITY_MARK: u16 = 256;
export const PATH_MARK: u16 = 512;
export const HOST_MARK: u16 = 1024;

const sets: usize = memory.data(512, 16);
/** Hexadecimal value, 255 = no hex digit. */
const hexValues: usize = memory.data(256, 16);
/** 1 where RFC 3986 2.3 says unreserved. */
const unreserved: usize = memory.data(256, 16);

const HEX_DIGITS: string = "0123456789ABCDEF";

function mark(text: string, bits: u16): void {
  for (let i = 0; i < text.length; i++) {
    const at = sets + (<usize>text.charCodeAt(i) << 1);
    store<u16>(at, load<u16>(at) | bits);
  }
}

function fill(): void {
  const all: u8 = SET_C0 | SET_FRAGMENT | SET_QUERY | SET_SPECIAL_QUERY | SET_PATH | SET_USERINFO;
  for (let c: usize = 0; c < 256; c++) {
    store<u16>(sets + (c << 1), c < 0x20 || c > 0x7e ? <u16>all | PATH_MARK | HOST_MARK : 0);
    store<u8>(hexValues + c, hexValueOf(<u32>c));
    store<u8>(unreserved + c, isAlpha(<u32>c) || isDigit(<u32>c) ? 1 : 0);
    if (c < 0x20 || c == 0x7f) store<u16>(sets + (c << 1), <u16>(all | FORBIDDEN_DOMAIN) | PATH_MARK | HOST_MARK);
  }
  store<u8>(unreserved + 0x2d, 1);
  store<u8>(unreserved + 0x2e, 1);
  store<u8>(unreserved + 0x5f, 1);
  store<u8>(unreserved + 0x7e, 1);
  mark("/?#\\@:", AUTHORITY_MARK);
  mark(' "<>`#?^{}/\\', PATH_MARK);
  mark("%\0\t\n\r #/:<>?@[\\]^|", HOST_MARK);
  const queries: u8 = SET_QUERY | SET_SPECIAL_QUERY;
  const paths: u8 = SET_PATH | SET_USERINFO;
  mark(' "<>', SET_FRAGMENT | queries | paths);
  mark("`", SET_FRAGMENT | paths);
  mark("#", queries | paths);
  mark("'", SET_SPECIAL_QUERY);
  mark("?^{}", paths);
  mark("/:;=@[\\]|", SET_USERINFO);
  mark("\0\t\n\r #/:<>?@[\\]^|", FORBIDDEN_HOST | FORBIDDEN_DOMAIN);
  mark("%", FORBIDDEN_DOMAIN);
}

function hexValueOf(c: u32): u8 {
  if (isDigit(c)) return <u8>(c - 48);
  const letter = (c | 32) - 97;
  return letter < 6 ? <u8>(letter + 10) : 255;
}

// @ts-ignore: decorator
@inline
export function isAlpha(c: u32): bool {
  return (c | 32) - 97 < 26;
}

// @ts-ignore: decorator
@inline
export function isDigit(c: u32): bool {
  return c - 48 < 10;
}

// @ts-ignore: decorator
@inline
export function lower(c: u32): u32 {
  return c - 65 < 26 ? c | 32 : c;
}

/** Lower-cases ASCII letters in place. */
export function lowerCase(p: usize, end: usize): void {
  for (; p < end; p++) store<u8>(p, <u8>lower(load<u8>(p)));
}

// @ts-ignore: decorator
@inline
export function inSet(c: u32, set: u16): bool {
  return (load<u16>(sets + (<usize>c << 1)) & set) != 0;
}

/** 0 to 15, or 255. */
// @ts-ignore: decorator
@inline
export function hexValue(c: u32): u32 {
  return load<u8>(hexValues + <usize>c);
}

// @ts-ignore: decorator
@inline
export function isUnreserved(c: u32): bool {
  return load<u8>(unreserved + <usize>c) != 0;
}

/** Writes `%XX` for one byte at `out`; the end is returned. */
export function writeEscaped(out: usize, c: u32): usize {
  store<u8>(out, 0x25);
  store<u8>(out, load<u8>(changetype<usize>(HEX_DIGITS) + ((<usize>c >> 4) << 1)), 1);
  store<u8>(out, load<u8>(changetype<usize>(HEX_DIGITS) + ((<usize>c & 15) << 1)), 2);
  return out + 3;
}

/** Percent-encodes [p, end) with a set to `out`, at most three bytes for each; the end is returned. */
export function encodeInto(p: usize, end: usize, out: usize, set: u8): usize {
  while (p < end) {
    const c: u32 = load<u8>(p++);
    if (inSet(c, set)) out = writeEscaped(out, c);
    else store<u8>(out++, <u8>c);
  }
  return out;
}

/** Writes a number in decimal. */
export function writeDecimal(out: usize, value: u32): usize {
  if (value >= 10) out = writeDecimal(out, value / 10);
  store<u8>(out, <u8>(48 + value % 10));
  return out + 1;
}

fill();
