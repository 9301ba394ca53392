/**
 * Small constant tables from a name (element, attribute) to 32 bits, asked once per tag and attribute.
 * A name is known by its key: its lower-cased bytes when it has at most eight, a 64-bit mix of them beyond.
 */

import { lower } from "./bytes";

export const TABLE_SLOTS: usize = 512;
/** 16 bytes a slot: key u64, value u32, used u32. */
export const TABLE_BYTES: usize = TABLE_SLOTS << 4;

/** The key after one more (lower-cased) byte, of which `length` came before. */
// @ts-ignore: decorator
@inline
export function mixName(key: u64, length: usize, byte: u32): u64 {
  return length < 8 ? key | (<u64>byte << (length << 3)) : rotl<u64>(key * 0x9e3779b97f4a7c15, 23) ^ <u64>byte;
}

// @ts-ignore: decorator
@inline
function slotOf(key: u64): usize {
  return <usize>((key * 0x9fb21c651e98df25) >> 55);
}

/** The key of a name in lower-case ASCII. */
export function keyOf(name: string): u64 {
  const letters = changetype<usize>(name);
  let key: u64 = 0;
  for (let i: usize = 0; i < <usize>name.length; i++) key = mixName(key, i, lower(<u32>load<u16>(letters + (i << 1))));
  return key;
}

/** Adds `bits` to what each of the space-separated `names` has, `step` more for each. The tables are far from full. */
export function define(table: usize, names: string, bits: u32, step: u32 = 0): void {
  let own = bits;
  const letters = changetype<usize>(names);
  const count = <usize>names.length;
  let key: u64 = 0;
  let length: usize = 0;
  for (let i: usize = 0; i <= count; i++) {
    const letter = i < count ? <u32>load<u16>(letters + (i << 1)) : 0x20;
    if (letter != 0x20) {
      key = mixName(key, length++, letter);
      continue;
    }
    if (length != 0) {
      addBits(table, key, own);
      own += step;
    }
    key = 0;
    length = 0;
  }
}

function addBits(table: usize, key: u64, bits: u32): void {
  let slot = slotOf(key);
  while (load<u32>(table + (slot << 4), 12) != 0 && load<u64>(table + (slot << 4)) != key) {
    slot = (slot + 1) & (TABLE_SLOTS - 1);
  }
  const at = table + (slot << 4);
  store<u64>(at, key);
  store<u32>(at, load<u32>(at, 8) | bits, 8);
  store<u32>(at, 1, 12);
}

/** What `key` has, 0 when it isn't in the table. */
export function lookUp(table: usize, key: u64): u32 {
  let slot = slotOf(key);
  while (true) {
    const at = table + (slot << 4);
    if (load<u64>(at) == key) return load<u32>(at, 8);
    if (load<u32>(at, 12) == 0) return 0;
    slot = (slot + 1) & (TABLE_SLOTS - 1);
  }
  return 0;
}
