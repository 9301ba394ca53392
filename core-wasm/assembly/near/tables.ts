/**
 * Where an index of fingerprints lies in memory. Each fingerprint stands in four tables, table t in the order of its
 * t-th block of sixteen bits; new ones wait in a small young part, chained by block, until they are merged in.
 * Invariant: a fingerprint is held once; offsets[t][b] .. offsets[t][b + 1] are the fingerprints of table t with block b.
 */

import { clearHeld, heldBytes, hold, openHeld } from "./held";

export const TABLES: usize = 4;
export const BUCKETS: usize = 65536;
/** Fingerprints that wait before a merge: enough to pay for a pass over the tables, few enough for short chains. */
const MOST_YOUNG: u32 = 65536;
const PAGE_BYTES: u64 = 65536;
/** 40 million fingerprints of 44 bytes: addresses stay below 2 GiB, positive for the host. */
export const MAX_CAPACITY: u32 = 40_000_000;

const OFFSET_BYTES: usize = (BUCKETS + 1) << 2;
const HEAD_BYTES: usize = BUCKETS << 2;

let offsets: usize = 0;
let heads: usize = 0;
let links: usize = 0;
let waiting: usize = 0;
let tables: usize = 0;
let mostYoung: u32 = 0;

export let capacity: u32 = 0;
/** Fingerprints in the tables, and those that wait. */
export let settled: u32 = 0;
export let young: u32 = 0;

/** Makes the instance's index. False when it has one already, or there is no room. */
export function openTables(room: u32): bool {
  if (capacity != 0 || room == 0 || room > MAX_CAPACITY) return false;
  mostYoung = min<u32>(room, MOST_YOUNG);
  const fixed = <u64>(TABLES * (OFFSET_BYTES + HEAD_BYTES));
  const bytes = fixed + <u64>mostYoung * 24 + <u64>room * 32 + heldBytes(room);
  const before = memory.grow(<i32>((bytes + PAGE_BYTES - 1) / PAGE_BYTES));
  if (before < 0) return false;
  // Words of eight bytes come first: they stay aligned.
  tables = <usize>before << 16;
  openHeld(tables + (<usize>room << 5), room);
  waiting = tables + (<usize>room << 5) + <usize>heldBytes(room);
  links = waiting + (<usize>mostYoung << 3);
  heads = links + (<usize>mostYoung << 4);
  offsets = heads + TABLES * HEAD_BYTES;
  capacity = room;
  return true;
}

// @ts-ignore: decorator
@inline
export function blockOf(fingerprint: u64, table: usize): usize {
  return <usize>(fingerprint >> (<u64>table << 4)) & 0xffff;
}

// @ts-ignore: decorator
@inline
export function tableAt(table: usize): usize {
  return tables + ((table * <usize>capacity) << 3);
}

// @ts-ignore: decorator
@inline
function offsetAt(table: usize, block: usize): usize {
  return offsets + table * OFFSET_BYTES + (block << 2);
}

/** Addresses of the first settled fingerprint with `block`, and behind the last. */
// @ts-ignore: decorator
@inline
export function bucketStart(table: usize, block: usize): usize {
  return tableAt(table) + (<usize>load<u32>(offsetAt(table, block)) << 3);
}

// @ts-ignore: decorator
@inline
export function bucketEnd(table: usize, block: usize): usize {
  return tableAt(table) + (<usize>load<u32>(offsetAt(table, block), 4) << 3);
}

// @ts-ignore: decorator
@inline
function headAt(table: usize, block: usize): usize {
  return heads + table * HEAD_BYTES + (block << 2);
}

/** Number of the newest waiting fingerprint with `block`, counted from 1; 0 = none. */
// @ts-ignore: decorator
@inline
export function chainStart(table: usize, block: usize): u32 {
  return load<u32>(headAt(table, block));
}

/** The next older one. */
// @ts-ignore: decorator
@inline
export function chainNext(table: usize, number: u32): u32 {
  return load<u32>(links + (<usize>(number - 1) << 4) + (table << 2));
}

// @ts-ignore: decorator
@inline
export function waitingAt(number: u32): u64 {
  return load<u64>(waiting + (<usize>(number - 1) << 3));
}

/** Adds a fingerprint that isn't held, with room for it. */
export function addWaiting(fingerprint: u64): void {
  store<u64>(waiting + (<usize>young << 3), fingerprint);
  for (let table: usize = 0; table < TABLES; table++) {
    const head = headAt(table, blockOf(fingerprint, table));
    store<u32>(links + (<usize>young << 4) + (table << 2), load<u32>(head));
    store<u32>(head, young + 1);
  }
  young++;
  if (young == mostYoung) settle();
}

/** Merges what waits into the tables. */
export function settle(): void {
  if (young == 0) return;
  for (let table: usize = 0; table < TABLES; table++) mergeInto(table);
  settled += young;
  young = 0;
}

/** From the last bucket to the first, as everything moves to the right, into room that is free or was left before. */
function mergeInto(table: usize): void {
  const base = tableAt(table);
  let end: usize = settled + young;
  let oldEnd: usize = settled;
  for (let block = BUCKETS; block-- > 0;) {
    const at = offsetAt(table, block);
    const oldStart: usize = load<u32>(at);
    const head = headAt(table, block);
    store<u32>(at, <u32>end, 4);
    for (let number = load<u32>(head); number != 0; number = chainNext(table, number)) {
      store<u64>(base + (--end << 3), waitingAt(number));
    }
    store<u32>(head, 0);
    const count = oldEnd - oldStart;
    end -= count;
    if (count != 0 && end != oldStart) memory.copy(base + (end << 3), base + (oldStart << 3), count << 3);
    oldEnd = oldStart;
  }
}

/**
 * Makes the tables of `count` fingerprints that the host wrote to the first one, in the order of their first block.
 * False, and an empty index, when they aren't in order, or one stands twice.
 */
export function loadTables(count: u32): bool {
  settled = 0;
  if (count > capacity || young != 0) return false;
  clearHeld();
  if (!countBlocks(0, count, true) || !holdAll(count)) {
    memory.fill(offsets, 0, TABLES * OFFSET_BYTES);
    clearHeld();
    return false;
  }
  for (let table: usize = 1; table < TABLES; table++) {
    countBlocks(table, count, false);
    scatter(table, count);
  }
  settled = count;
  return true;
}

function holdAll(count: u32): bool {
  for (let i: usize = 0; i < <usize>count; i++) if (!hold(load<u64>(tables + (i << 3)))) return false;
  return true;
}

/** Writes the offsets of `table`; `ordered`: false when the first table's blocks fall somewhere. */
function countBlocks(table: usize, count: u32, ordered: bool): bool {
  const all = offsetAt(table, 0);
  memory.fill(all, 0, OFFSET_BYTES);
  let last: usize = 0;
  for (let i: usize = 0; i < <usize>count; i++) {
    const block = blockOf(load<u64>(tables + (i << 3)), table);
    if (ordered && block < last) return false;
    last = block;
    const counter = all + (block << 2) + 4;
    store<u32>(counter, load<u32>(counter) + 1);
  }
  let sum: u32 = 0;
  for (let block: usize = 1; block <= BUCKETS; block++) {
    sum += load<u32>(all + (block << 2));
    store<u32>(all + (block << 2), sum);
  }
  return true;
}

/** Copies the first table into `table`, bucket by bucket; the chains' heads, all empty, count how far each is. */
function scatter(table: usize, count: u32): void {
  const base = tableAt(table);
  for (let i: usize = 0; i < <usize>count; i++) {
    const fingerprint = load<u64>(tables + (i << 3));
    const block = blockOf(fingerprint, table);
    const head = headAt(table, block);
    const taken = load<u32>(head);
    store<u32>(head, taken + 1);
    store<u64>(base + (<usize>(load<u32>(offsetAt(table, block)) + taken) << 3), fingerprint);
  }
  memory.fill(headAt(table, 0), 0, HEAD_BYTES);
}
