/**
 * IPv4 hosts: does a domain end in a number, what address does it spell, how is it written (URL Standard 3.5, 3.6).
 * Invariant: input is lower-case ASCII; arithmetic saturates, so length is no danger.
 */

import { hexValue, isDigit, writeDecimal } from "./bytes";
import { E_IPV4 } from "./error";

const TOO_BIG: u64 = 0x1_0000_0000_0;
const NOT_A_NUMBER: u64 = u64.MAX_VALUE;

/** The number in [p, end): decimal, 0x hexadecimal, 0 octal. */
function parseNumber(p: usize, end: usize): u64 {
  if (p == end) return NOT_A_NUMBER;
  let radix: u32 = 10;
  if (load<u8>(p) == 0x30 && end - p >= 2) {
    const isHex = load<u8>(p, 1) == 0x78;
    radix = isHex ? 16 : 8;
    p += isHex ? 2 : 1;
  }
  let value: u64 = 0;
  for (; p < end; p++) {
    const digit = hexValue(load<u8>(p));
    if (digit >= radix) return NOT_A_NUMBER;
    value = value * radix + digit;
    if (value > TOO_BIG) value = TOO_BIG;
  }
  return value;
}

function allDigits(p: usize, end: usize): bool {
  if (p == end) return false;
  while (p < end) if (!isDigit(load<u8>(p++))) return false;
  return true;
}

/** URL Standard 3.5, "ends in a number checker". */
export function endsInNumber(start: usize, end: usize): bool {
  if (end > start && load<u8>(end - 1) == 0x2e) end--;
  let label = end;
  while (label > start && load<u8>(label - 1) != 0x2e) label--;
  return label < end && isDigit(load<u8>(label)) &&
    (allDigits(label, end) || parseNumber(label, end) != NOT_A_NUMBER);
}

/** Writes the address that [start, end) spells in dotted decimal at `out`: its length, or E_IPV4. */
export function ipv4Into(start: usize, end: usize, out: usize): i32 {
  if (load<u8>(end - 1) == 0x2e) end--;
  let address: u64 = 0;
  let parts: u64 = 0;
  for (let p = start;; p++) {
    let stop = p;
    while (stop < end && load<u8>(stop) != 0x2e) stop++;
    const value = parseNumber(p, stop);
    if (value == NOT_A_NUMBER || ++parts > 4) return E_IPV4;
    if (stop == end) {
      if (value >= <u64>1 << (8 * (5 - parts))) return E_IPV4;
      address += value;
      break;
    }
    if (value > 255 || parts == 4) return E_IPV4;
    address += value << (8 * (4 - parts));
    p = stop;
  }
  let o = out;
  for (let shift = 24; shift >= 0; shift -= 8) {
    o = writeDecimal(o, <u32>(address >> shift) & 255);
    if (shift > 0) store<u8>(o++, 0x2e);
  }
  return <i32>(o - out);
}
