/**
 * The query of a key: parameters normalised, tracking left out, sorted.
 * Invariant: the sort is stable and takes O(n log n) comparisons, whatever the query.
 */

import { lowerCase } from "./bytes";
import { DROP_EMPTY_PARAMETERS, LOWER_CASE, SORT_QUERY, STRIP_SESSIONS, STRIP_TRACKING } from "./profile";
import { hasNormalEscapes, normalizeEscapes } from "./escapes";
import { isNamed, isSession } from "./sessions";
import { QUERY_ESCAPES, State } from "./state";
import { isTracking } from "./tracking_parameters";
import { reserve, URL_QUERY } from "../memory/buffers";
import { bitsBefore, copyShort, findByte } from "../memory/bytes";

/** One parameter: where it starts, where its name ends, where it ends. */
const ENTRY: usize = 12;

let entries: usize = 0;
let spare: usize = 0;
/** What isNormalQuery collected, for the queryInto that follows: of the query that begins here, so many, and how many went. */
let collectedFrom: usize = 0;
let collected: usize = 0;
let dropped: usize = 0;

/** Writes the normalised query of [p, end) (without "?") at `out`: its end. 0 = no room. */
export function queryInto(p: usize, end: usize, out: usize, rules: u32): usize {
  const isReady = collectedFrom == p;
  if (!isReady) collectedFrom = 0;
  if (!makeRoom(end - p)) return 0;
  collectedFrom = 0;
  const isPlain = !isReady && (rules & LOWER_CASE) == 0 && hasNormalEscapes(p, end);
  const text = spare + (end - p + 1) * ENTRY;
  let count = isReady ? collected : isPlain ? collectPlain(p, end, rules) : collect(p, end, text, rules);
  if ((rules & STRIP_SESSIONS) != 0) count = withoutSessions(count);
  if ((rules & SORT_QUERY) != 0 && !isSorted(count)) {
    sort(count);
    // Sorting brings "cfid" and "cftoken" together.
    if ((rules & STRIP_SESSIONS) != 0) count = withoutSessions(count);
  }
  for (let i: usize = 0; i < count; i++) {
    const entry = entries + i * ENTRY;
    const from: usize = load<u32>(entry);
    const bytes = <usize>load<u32>(entry, 8) - from;
    if (i > 0) store<u8>(out++, 0x26);
    out = copyShort(out, from, bytes);
  }
  return out;
}

/** Whether [p, end) is as `queryInto` would write it. False also where that isn't seen at a glance. */
export function isNormalQuery(p: usize, end: usize, rules: u32): bool {
  if (p == end || (rules & (LOWER_CASE | STRIP_SESSIONS)) != 0) return false;
  if ((State.escapes & QUERY_ESCAPES) != 0 && !hasNormalEscapes(p, end)) return false;
  collectedFrom = 0;
  if (!makeRoom(end - p)) return false;
  collected = collectPlain(p, end, rules);
  if (dropped == 0 && ((rules & SORT_QUERY) == 0 || isSorted(collected))) return true;
  collectedFrom = p;
  return false;
}

/** No queryInto follows the isNormalQuery before. */
export function forgetQuery(): void {
  collectedFrom = 0;
}

/** Room for two tables of entries, and for the text of a query of `length` bytes. */
function makeRoom(length: usize): bool {
  const table = (length + 1) * ENTRY;
  const room = reserve(URL_QUERY, table * 2 + length * 3 + 16);
  // Sorting swaps the tables: what was collected lies in either.
  if (collectedFrom == 0 || room == 0) {
    entries = room;
    spare = room + table;
  }
  return room != 0;
}

/** The parameter that collectPlain is in. */
let parameter: usize = 0;
let nameEnds: usize = 0;

/** As `collect`, where escapes need no change: entries lie in the source. */
function collectPlain(from: usize, end: usize, rules: u32): usize {
  let count: usize = 0;
  dropped = 0;
  parameter = from;
  nameEnds = 0;
  for (let p = from; p < end; p += 16) {
    const block = v128.load(p);
    const marks = v128.or(i8x16.eq(block, i8x16.splat(0x26)), i8x16.eq(block, i8x16.splat(0x3d)));
    for (let bits = <u32>i8x16.bitmask(marks) & bitsBefore(p, end); bits != 0; bits &= bits - 1) {
      const at = p + <usize>ctz<u32>(bits);
      if (load<u8>(at) == 0x26) count = closeParameter(at, count, rules);
      else if (nameEnds == 0) nameEnds = at;
    }
  }
  return closeParameter(end, count, rules);
}

/** The parameter ends: an entry for it, unless it is left out. How many there are then. */
function closeParameter(end: usize, count: usize, rules: u32): usize {
  const start = parameter;
  const nameEnd = nameEnds == 0 ? end : nameEnds;
  parameter = end + 1;
  nameEnds = 0;
  const isEmpty = end == start && (rules & DROP_EMPTY_PARAMETERS) != 0;
  if (isEmpty || ((rules & STRIP_TRACKING) != 0 && isTracking(start, nameEnd - start))) {
    dropped++;
    return count;
  }
  const entry = entries + count * ENTRY;
  store<u32>(entry, <u32>start);
  store<u32>(entry, <u32>nameEnd, 4);
  store<u32>(entry, <u32>end, 8);
  return count + 1;
}

// @ts-ignore: decorator
@inline
function copyEntry(to: usize, from: usize): void {
  store<u64>(to, load<u64>(from));
  store<u32>(to, load<u32>(from, 8), 8);
}

/** Splits at "&" and normalises each parameter to `text`; the number of those that stay. */
function collect(p: usize, end: usize, text: usize, rules: u32): usize {
  let count: usize = 0;
  for (let stop = p;; p = stop + 1) {
    stop = findByte(p, end, 0x26);
    let equals = findByte(p, stop, 0x3d);
    if (equals == stop) equals = 0;
    const nameEnd = normalizeEscapes(p, equals == 0 ? stop : equals, text, rules);
    const isEmpty = p == stop && (rules & DROP_EMPTY_PARAMETERS) != 0;
    if (!isEmpty && !((rules & STRIP_TRACKING) != 0 && isTracking(text, nameEnd - text))) {
      const entry = entries + count++ * ENTRY;
      store<u32>(entry, <u32>text);
      store<u32>(entry, <u32>nameEnd, 4);
      text = equals == 0 ? nameEnd : normalizeEscapes(equals, stop, nameEnd, rules);
      store<u32>(entry, <u32>text, 8);
      if ((rules & LOWER_CASE) != 0) lowerCase(load<u32>(entry), text);
    }
    if (stop == end) break;
  }
  return count;
}

/** Closes the gaps that sessions leave; "cftoken" takes the "cfid" with it that is left before it. */
function withoutSessions(count: usize): usize {
  let kept: usize = 0;
  for (let i: usize = 0; i < count; i++) {
    const entry = entries + i * ENTRY;
    if (isSession(load<u32>(entry), load<u32>(entry, 4), load<u32>(entry, 8))) continue;
    const last = entries + (kept - 1) * ENTRY;
    const isColdFusion = kept > 0 && isNamed(load<u32>(entry), load<u32>(entry, 4), "cftoken") &&
      isNamed(load<u32>(last), load<u32>(last, 4), "cfid");
    if (isColdFusion) kept--;
    else copyEntry(entries + kept++ * ENTRY, entry);
  }
  return kept;
}

/** By name, then by value; a parameter without "=" has the empty value. */
function compare(a: usize, b: usize): i32 {
  const names = compareBytes(load<u32>(a), load<u32>(a, 4), load<u32>(b), load<u32>(b, 4));
  return names != 0 ? names : compareBytes(valueOf(a), load<u32>(a, 8), valueOf(b), load<u32>(b, 8));
}

// @ts-ignore: decorator
@inline
function valueOf(entry: usize): usize {
  return <usize>min<u32>(load<u32>(entry, 4) + 1, load<u32>(entry, 8));
}

function compareBytes(a: usize, aEnd: usize, b: usize, bEnd: usize): i32 {
  for (; a < aEnd && b < bEnd; a++, b++) {
    const difference = <i32>load<u8>(a) - <i32>load<u8>(b);
    if (difference != 0) return difference;
  }
  return <i32>(aEnd - a) - <i32>(bEnd - b);
}

function isSorted(count: usize): bool {
  for (let i: usize = 1; i < count; i++) {
    if (compare(entries + (i - 1) * ENTRY, entries + i * ENTRY) > 0) return false;
  }
  return true;
}

/** Most queries are this short: then moving entries about costs less than merging tables. */
const FEW: usize = 6;

function sort(count: usize): void {
  if (count <= FEW) sortFew(count);
  else sortMany(count);
}

/** Insertion sort: stable. */
function sortFew(count: usize): void {
  for (let i: usize = 1; i < count; i++) {
    copyEntry(spare, entries + i * ENTRY);
    let to = i;
    for (; to > 0 && compare(entries + (to - 1) * ENTRY, spare) > 0; to--) {
      copyEntry(entries + to * ENTRY, entries + (to - 1) * ENTRY);
    }
    copyEntry(entries + to * ENTRY, spare);
  }
}

/** Bottom-up merge sort between the two tables. */
function sortMany(count: usize): void {
  for (let width: usize = 1; width < count; width <<= 1) {
    for (let low: usize = 0; low < count; low += width << 1) {
      merge(low, min<usize>(low + width, count), min<usize>(low + (width << 1), count));
    }
    const sorted = spare;
    spare = entries;
    entries = sorted;
  }
}

function merge(low: usize, middle: usize, high: usize): void {
  let left = low;
  let right = middle;
  for (let to = low; to < high; to++) {
    const takeLeft = left < middle &&
      (right >= high || compare(entries + left * ENTRY, entries + right * ENTRY) <= 0);
    copyEntry(spare + to * ENTRY, entries + (takeLeft ? left++ : right++) * ENTRY);
  }
}
