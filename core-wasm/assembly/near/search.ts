/**
 * Fingerprints within three bits of others. Of four blocks of sixteen bits at least one is the same in two fingerprints
 * that differ in three bits or fewer (Manku, Jain, Das Sarma 2007, section 3), so that four buckets hold all there are.
 * Invariant: exact - nothing within MOST_BITS is missed, nothing beyond is told; answers don't depend on the order of adding.
 */

import { INPUT, MAX_BYTES, OUTPUT, reserve } from "../memory/buffers";
import { hold, isHeld } from "./held";
import {
  addWaiting,
  blockOf,
  bucketEnd,
  bucketStart,
  capacity,
  chainNext,
  chainStart,
  settled,
  TABLES,
  waitingAt,
  young,
} from "./tables";

const MOST_BITS: u64 = 3;
/** Distance when nothing is near. */
const NONE: u8 = 255;
/** Answers to adding. */
const HELD: u8 = 0;
const ADDED: u8 = 1;
const NO_ROOM: u8 = 2;

let nearest: u64 = 0;
let nearestBits: u64 = 0;

/** The nearest held fingerprint, of several the smallest, in `nearest` and `nearestBits`. */
function findNearest(wanted: u64): void {
  let best: u64 = ~0;
  let fewest: u64 = MOST_BITS + 1;
  for (let table: usize = 0; table < TABLES && fewest != 0; table++) {
    const block = blockOf(wanted, table);
    const end = bucketEnd(table, block);
    for (let p = bucketStart(table, block); p < end; p += 8) {
      const bits = popcnt<u64>(load<u64>(p) ^ wanted);
      if (bits > fewest) continue;
      best = bits < fewest ? load<u64>(p) : min<u64>(best, load<u64>(p));
      fewest = bits;
    }
    for (let number = chainStart(table, block); number != 0; number = chainNext(table, number)) {
      const candidate = waitingAt(number);
      const bits = popcnt<u64>(candidate ^ wanted);
      if (bits > fewest) continue;
      best = bits < fewest ? candidate : min<u64>(best, candidate);
      fewest = bits;
    }
  }
  nearest = best;
  nearestBits = fewest;
}

function add(fingerprint: u64): u8 {
  if (settled + young == capacity) return isHeld(fingerprint) ? HELD : NO_ROOM;
  if (!hold(fingerprint)) return HELD;
  addWaiting(fingerprint);
  return ADDED;
}

/** Adds the `count` fingerprints in INPUT; a byte for each lies in OUTPUT, whose address is returned. 0 = no room for it. */
export function addNear(count: usize): usize {
  const out = reserve(OUTPUT, count);
  const input = reserve(INPUT, count << 3);
  if (out == 0 || capacity == 0) return 0;
  for (let i: usize = 0; i < count; i++) store<u8>(out + i, add(load<u64>(input + (i << 3))));
  return out;
}

/** For each of `count` fingerprints in INPUT the nearest one (u64 each, 0 where none is near), then its distance (u8 each). */
export function nearestOf(count: usize): usize {
  const out = reserve(OUTPUT, count * 9);
  const input = reserve(INPUT, count << 3);
  if (out == 0 || capacity == 0) return 0;
  const distances = out + (count << 3);
  for (let i: usize = 0; i < count; i++) {
    findNearest(load<u64>(input + (i << 3)));
    const isNear = nearestBits <= MOST_BITS;
    store<u64>(out + (i << 3), isNear ? nearest : 0);
    store<u8>(distances + i, isNear ? <u8>nearestBits : NONE);
  }
  return out;
}

let found: usize = 0;
let foundAt: usize = 0;
let foundRoom: usize = 0;

/** A fingerprint is told by the first of the tables that it shares a block in. */
// @ts-ignore: decorator
@inline
function tell(candidate: u64, wanted: u64, table: usize): void {
  const difference = candidate ^ wanted;
  if (popcnt<u64>(difference) > MOST_BITS) return;
  if (firstShared(difference) != table) return;
  if (found < foundRoom) store<u64>(foundAt + (found << 3), candidate);
  found++;
}

function firstShared(difference: u64): usize {
  for (let table: usize = 0; table < TABLES; table++) if (blockOf(difference, table) == 0) return table;
  return TABLES;
}

/** Writes the fingerprints near `wanted` to OUTPUT, at most `room` and what a buffer holds; returns how many there are. */
export function allNear(wanted: u64, room: usize): usize {
  found = 0;
  // As bytes, a larger room would be one of few bytes: the product has 32 bits.
  foundRoom = min<usize>(room, MAX_BYTES >> 3);
  foundAt = reserve(OUTPUT, foundRoom << 3);
  if (foundAt == 0 || capacity == 0) return 0;
  for (let table: usize = 0; table < TABLES; table++) {
    const block = blockOf(wanted, table);
    const end = bucketEnd(table, block);
    for (let p = bucketStart(table, block); p < end; p += 8) tell(load<u64>(p), wanted, table);
    for (let number = chainStart(table, block); number != 0; number = chainNext(table, number)) {
      tell(waitingAt(number), wanted, table);
    }
  }
  return found;
}
