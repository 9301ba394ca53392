/**
 * How well a sample reads as Chinese, Japanese or Korean in a charset of two bytes a character: the sum of what its
 * characters cost, in half bits. Characters go by their pointer in the charset's index.
 * Invariant: linear in the sample.
 */

import { CHARACTER_COUNTS, CHARACTERS } from "./languages_data";
import { BIG5, EUC_JP, EUC_KR, GBK, SHIFT_JIS } from "../charset/ids";
import { CHARSET_0, reserve } from "../memory/buffers";

/** A byte per pointer, for each of the LISTS; each made when it is first met. */
const COSTS: i32 = CHARSET_0 + 8;
const POINTERS: usize = 24_192;
const LISTS: usize = 4;
/** 1 where a list's costs were made. */
const made: usize = memory.data(4, 4);

/** Half bits: what a share of running text comes to when so many characters have it between them. */
const SIGNS: u8 = 22;
const COMMON: u8 = 26;
const RARE: u8 = 34;
const SELDOM: u8 = 42;
const HALF_WIDTH: u32 = 25;
const INVALID: u32 = 60;

let costs: usize = 0;

/** Bytes of the sequence that the last step read. */
let read: usize = 1;

/** The cost of [from, end) in one of GBK, BIG5, EUC_JP, SHIFT_JIS, EUC_KR; more than `limit` means that it is more. */
export function costOfCharacters(charset: u32, from: usize, end: usize, limit: u32): u32 {
  if (!findCosts(charset)) return 0xffffffff;
  let sum: u32 = 0;
  let p = from;
  while (p < end && sum <= limit) {
    if (load<i8>(p) >= 0) {
      p++;
      continue;
    }
    sum += step(charset, p, end);
    p += read;
  }
  return sum;
}

/** The costs for `charset` in `costs`; false without memory. */
function findCosts(charset: u32): bool {
  const list = listOf(charset);
  const all = reserve(COSTS, POINTERS * LISTS);
  if (all == 0) return false;
  costs = all + list * POINTERS;
  if (load<u8>(made + list) == 0) spread(charset);
  store<u8>(made + list, 1);
  return true;
}

/** Lists of characters that were counted (languages_data.ts); both Japanese charsets number the same characters alike. */
function listOf(charset: u32): usize {
  return charset == GBK ? 0 : charset == BIG5 ? 1 : charset == EUC_KR ? 3 : 2;
}

/** The cost of the sequence at p, whose first byte is beyond ASCII; its length in `read`. */
function step(charset: u32, p: usize, end: usize): u32 {
  const lead = <u32>load<u8>(p);
  const trail: u32 = p + 1 < end ? <u32>load<u8>(p, 1) : 0;
  read = 1;
  if (charset == SHIFT_JIS && lead - 0xa1 < 63) return HALF_WIDTH;
  if (charset == EUC_JP && lead == 0x8e && trail - 0xa1 < 63) return two(HALF_WIDTH);
  if (charset == EUC_JP && lead == 0x8f && trail >= 0xa1 && p + 2 < end && load<u8>(p, 2) >= 0xa1) {
    read = 3;
    return SELDOM + 8;
  }
  if (charset == GBK && trail - 0x30 < 10 && isFour(p, end)) {
    read = 4;
    return SELDOM;
  }
  const pointer = pointerOf(charset, lead, trail);
  if (pointer >= <u32>POINTERS) {
    if (trail >= 0x80) read = 2;
    return INVALID;
  }
  return two(<u32>load<u8>(costs + <usize>pointer));
}

function two(cost: u32): u32 {
  read = 2;
  return cost;
}

function isFour(p: usize, end: usize): bool {
  return p + 3 < end && <u32>load<u8>(p, 2) - 0x81 < 0x7e && <u32>load<u8>(p, 3) - 0x30 < 10;
}

/** Past all pointers when the bytes are no pair. */
function pointerOf(charset: u32, lead: u32, trail: u32): u32 {
  const none: u32 = 0xffffffff;
  if (charset == EUC_JP) return lead - 0xa1 < 94 && trail - 0xa1 < 94 ? (lead - 0xa1) * 94 + trail - 0xa1 : none;
  if (lead == 0x80 || lead == 0xff || trail < 0x40 || trail == 0xff) return none;
  if (charset == EUC_KR) return trail < 0x41 ? none : (lead - 0x81) * 190 + trail - 0x41;
  if (trail == 0x7f) return none;
  if (charset == BIG5) {
    if (trail > 0x7f && trail < 0xa1) return none;
    return (lead - 0x81) * 157 + trail - (trail < 0x7f ? 0x40 : 0x62);
  }
  if (charset == GBK) return (lead - 0x81) * 190 + trail - (trail < 0x7f ? 0x40 : 0x41);
  if (lead == 0xa0 || lead > 0xfc || trail > 0xfc) return none;
  return (lead - (lead < 0xa0 ? 0x81 : 0xc1)) * 188 + trail - (trail < 0x7f ? 0x40 : 0x41);
}

/** What the standards say of their rows: signs, common characters (level 1), rare ones (level 2), extensions. */
function spread(charset: u32): void {
  memory.fill(costs, SELDOM, POINTERS);
  if (charset == GBK) {
    rows(0xa1, 0xaa, SIGNS + 4, 190, 0x60);
    rows(0xb0, 0xd8, COMMON, 190, 0x60);
    rows(0xd8, 0xf8, RARE, 190, 0x60);
  } else if (charset == BIG5) {
    rows(0xa1, 0xa4, SIGNS, 157, 0);
    rows(0xa4, 0xc7, COMMON, 157, 0);
    rows(0xc9, 0xfa, RARE, 157, 0);
  } else if (charset == EUC_KR) {
    rows(0xa1, 0xad, SIGNS + 4, 190, 0x60);
    rows(0xb0, 0xc9, COMMON + 3, 190, 0x60);
    rows(0xca, 0xfe, RARE, 190, 0x60);
  } else {
    // Rows of 94: signs, full-width letters, kana; then kanji of both levels.
    memory.fill(costs, SIGNS, 2 * 94);
    memory.fill(costs + 2 * 94, SIGNS + 4, 94);
    memory.fill(costs + 3 * 94, SIGNS, 2 * 94);
    memory.fill(costs + 15 * 94, COMMON + 2, 32 * 94);
    memory.fill(costs + 47 * 94, RARE, 37 * 94);
  }
  known(listOf(charset));
}

/** Rows from lead byte `from` up to `to`, of `width` pointers, the first `skipped` of each left out. */
function rows(from: u32, to: u32, cost: u8, width: u32, skipped: u32): void {
  for (let lead = from; lead < to; lead++) {
    memory.fill(costs + <usize>((lead - 0x81) * width + skipped), cost, <usize>(width - skipped));
  }
}

/** Writes the costs of characters that were counted. */
function known(list: usize): void {
  let words = CHARACTERS;
  for (let i: usize = 0; i < list; i++) words += <usize>load<u32>(CHARACTER_COUNTS + (i << 2)) << 2;
  const count = <usize>load<u32>(CHARACTER_COUNTS + (list << 2));
  for (let i: usize = 0; i < count; i++) {
    const word = load<u32>(words + (i << 2));
    store<u8>(costs + <usize>(word & 0xffff), <u8>(word >> 16));
  }
}
