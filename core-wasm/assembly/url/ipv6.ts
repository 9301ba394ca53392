/**
 * IPv6 hosts: parser and serialiser (URL Standard 3.5 "IPv6 parser", 3.6 "IPv6 serializer").
 * Invariant: eight 16-bit pieces in one static area; reads only [p, end).
 */

import { hexValue, isDigit } from "./bytes";
import { E_IPV6 } from "./error";

const pieces: usize = memory.data(16, 8);
const HEX_LOWER: string = "0123456789abcdef";

// @ts-ignore: decorator
@inline
function at(p: usize, end: usize): u32 {
  return p < end ? load<u8>(p) : 0;
}

// @ts-ignore: decorator
@inline
function piece(index: i32): u32 {
  return load<u16>(pieces + (<usize>index << 1));
}

// @ts-ignore: decorator
@inline
function setPiece(index: i32, value: u32): void {
  store<u16>(pieces + (<usize>index << 1), <u16>value);
}

/** Writes `[address]` at `out` for the text between the brackets: its length (at most 41), or E_IPV6. */
export function ipv6Into(p: usize, end: usize, out: usize): i32 {
  return parse(p, end) ? <i32>(serialise(out) - out) : E_IPV6;
}

function parse(p: usize, end: usize): bool {
  memory.fill(pieces, 0, 16);
  let index = 0;
  let compress = -1;
  if (at(p, end) == 0x3a) {
    if (at(p + 1, end) != 0x3a) return false;
    p += 2;
    compress = ++index;
  }
  while (p < end) {
    if (index == 8) return false;
    if (load<u8>(p) == 0x3a) {
      if (compress >= 0) return false;
      p++;
      compress = ++index;
      continue;
    }
    let value: u32 = 0;
    let length = 0;
    while (length < 4 && p < end && hexValue(load<u8>(p)) < 16) {
      value = (value << 4) | hexValue(load<u8>(p++));
      length++;
    }
    const c = at(p, end);
    if (c == 0x2e) {
      if (length == 0 || index > 6 || !parseIpv4(p - length, end, index)) return false;
      index += 2;
      break;
    }
    if (c == 0x3a) {
      if (++p == end) return false;
    } else if (p < end) return false;
    setPiece(index++, value);
  }
  if (compress < 0) return index == 8;
  spread(compress, index);
  return true;
}

/** Moves the pieces behind "::" to the end. */
function spread(compress: i32, index: i32): void {
  let swaps = index - compress;
  for (let to = 7; to != 0 && swaps > 0; to--, swaps--) {
    const from = compress + swaps - 1;
    const held = piece(from);
    setPiece(from, piece(to));
    setPiece(to, held);
  }
}

/** Four decimal numbers without leading zeros, to the end of the input, into two pieces. */
function parseIpv4(p: usize, end: usize, index: i32): bool {
  for (let seen = 0; seen < 4; seen++) {
    if (seen > 0) {
      if (at(p, end) != 0x2e) return false;
      p++;
    }
    if (!isDigit(at(p, end))) return false;
    let value: u32 = 0;
    const first = p;
    while (isDigit(at(p, end))) {
      if (p > first && value == 0) return false;
      value = value * 10 + load<u8>(p++) - 48;
      if (value > 255) return false;
    }
    const to = index + (seen >> 1);
    setPiece(to, (piece(to) << 8) + value);
  }
  return p == end;
}

function serialise(out: usize): usize {
  const longest = longestZeros();
  const start = longest >> 4;
  const length = longest & 15;
  store<u8>(out++, 0x5b);
  for (let index = 0; index < 8; index++) {
    if (length > 1 && index == start) {
      store<u8>(out++, 0x3a);
      if (index == 0) store<u8>(out++, 0x3a);
      index += length - 1;
      continue;
    }
    out = writeHex(out, piece(index));
    if (index < 7) store<u8>(out++, 0x3a);
  }
  store<u8>(out++, 0x5d);
  return out;
}

/** The first longest run of zero pieces, as start * 16 + length. */
function longestZeros(): i32 {
  let best = 0;
  let bestLength = 0;
  let length = 0;
  for (let index = 0; index < 8; index++) {
    length = piece(index) == 0 ? length + 1 : 0;
    if (length > bestLength) {
      bestLength = length;
      best = index - length + 1;
    }
  }
  return (best << 4) | bestLength;
}

function writeHex(out: usize, value: u32): usize {
  if (value >= 16) out = writeHex(out, value >> 4);
  store<u8>(out, load<u8>(changetype<usize>(HEX_LOWER) + (<usize>(value & 15) << 1)));
  return out + 1;
}
