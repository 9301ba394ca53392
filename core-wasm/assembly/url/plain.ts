/**
 * URLs that are their own href, which most links of most pages are once resolved: recognised sixteen bytes at a time, in
 * place, without writing anything. What this file isn't sure of is left to parse.ts.
 * Invariant: where it says yes, parse.ts would give the same href and the same parts.
 */

import { isDigit } from "./bytes";
import { KIND_HTTP, KIND_HTTPS, url } from "./parts";
import { isDnsName } from "./dns_name";
import { PATH_ESCAPES, QUERY_ESCAPES, State } from "./state";

/** By the low and the high half of a byte: both have a bit in common where the byte isn't plain. */
const PATH_LOW: v128 = i8x16(83, 65, 67, 67, 65, 65, 65, 65, 65, 65, 65, 97, 77, 97, 77, 101);
const PATH_HIGH: v128 = i8x16(1, 1, 2, 4, 0, 8, 16, 32, 64, 64, 64, 64, 64, 64, 64, 64);
const QUERY_LOW: v128 = i8x16(67, 65, 67, 67, 65, 65, 65, 67, 65, 65, 65, 65, 69, 65, 69, 97);
const QUERY_HIGH: v128 = i8x16(1, 1, 2, 4, 0, 0, 0, 32, 64, 64, 64, 64, 64, 64, 64, 64);

// @ts-ignore: decorator
@inline
function oddOnes(block: v128, low: v128, high: v128): u32 {
  const byLow = i8x16.swizzle(low, v128.and(block, i8x16.splat(15)));
  const byHigh = i8x16.swizzle(high, i8x16.shr_u(block, 4));
  return <u32>i8x16.bitmask(i8x16.ne(v128.and(byLow, byHigh), i8x16.splat(0)));
}

/** Sixteen bytes of ones, then of zeros: from MASKS + 16 - n the mask for n bytes. */
const MASKS: usize = memory.data<u64>([~0, ~0, 0, 0], 16);

/** Sixteen bytes from p, those from `end` on as zeros, which are odd. */
// @ts-ignore: decorator
@inline
function blockAt(p: usize, end: usize): v128 {
  return v128.and(v128.load(p), v128.load(MASKS + 16 - min<usize>(end - p, 16)));
}

/** Whether [p, end), which begins with a slash, is path, query and fragment that stay as they are in an http(s) URL. */
export function isPlainTail(p: usize, end: usize): bool {
  const pathEnd = endOfPath(p, end);
  const queryEnd = pathEnd == 0 ? 0 : endOfQuery(pathEnd, end);
  return queryEnd != 0 && (queryEnd == end || isPlainFragment(queryEnd + 1, end));
}

/** Whether [p, p + length) is an http(s) URL and its own href. Then `url` and `State` are as parseUrl leaves them. */
export function parsePlain(p: usize, length: usize): bool {
  if (!startsPlain(p, length)) return false;
  const end = p + length;
  const path = p + url.pathStart;
  const pathEnd = endOfPath(path, end);
  if (pathEnd == 0) return false;
  const queryEnd = endOfQuery(pathEnd, end);
  if (queryEnd == 0 || (queryEnd < end && !isPlainFragment(queryEnd + 1, end))) return false;
  State.start = p;
  State.out = end;
  url.pathEnd = <u32>(pathEnd - p);
  url.queryEnd = <u32>(queryEnd - p);
  url.end = <u32>length;
  return true;
}

/** Longest "http://host/" that is kept. */
const KEPT_BYTES: usize = 64;
/** That of the URL before, as pages link to few hosts; zeros behind it. */
const kept: usize = memory.data(64, 16);
let keptBytes: usize = 0;

/**
 * Whether it begins with http(s), a host that is plain and a DNS name, without port, and a slash. Then `url` is as parseUrl
 * leaves it where a path begins.
 */
export function startsPlain(p: usize, length: usize): bool {
  const before = keptBytes;
  if (before != 0 && before <= length && startsAsBefore(p, before)) {
    beginPath(p, before - 1);
    return true;
  }
  if (length < 11 || load<u32>(p) != 0x70747468) return false;
  const colon = p + (load<u8>(p, 4) == 0x73 ? 5 : 4);
  // "://", read with one byte more.
  if ((load<u32>(colon) & 0xffffff) != 0x2f2f3a) return false;
  const path = hostEnd(colon + 3, p + length);
  if (path == 0 || !isDnsName(colon + 3, path)) return false;
  keep(p, path + 1 - p);
  beginPath(p, path - p);
  return true;
}

// @ts-ignore: decorator
@inline
function startsAsBefore(p: usize, bytes: usize): bool {
  for (let done: usize = 0; done < bytes; done += 16) {
    if (v128.any_true(v128.xor(blockAt(p + done, p + bytes), v128.load(kept + done)))) return false;
  }
  return true;
}

function keep(p: usize, bytes: usize): void {
  keptBytes = bytes <= KEPT_BYTES ? bytes : 0;
  for (let done: usize = 0; done < keptBytes; done += 16) v128.store(kept + done, blockAt(p + done, p + bytes));
}

/** The parts up to a path at `at`, behind "http://" or "https://" and a host. */
function beginPath(p: usize, at: usize): void {
  const isSecure = load<u8>(p, 4) == 0x73;
  url.kind = isSecure ? KIND_HTTPS : KIND_HTTP;
  url.schemeEnd = isSecure ? 6 : 5;
  url.hasHost = 1;
  url.hasUserinfo = 0;
  url.hostStart = url.schemeEnd + 2;
  url.hostEnd = <u32>at;
  url.authorityEnd = <u32>at;
  url.opaque = 0;
  url.pathStart = <u32>at;
}

/** The slash behind a host of lower-case letters, digits, "-" and "."; 0 = another host, or perhaps an IPv4 address. */
function hostEnd(host: usize, end: usize): usize {
  let p = host;
  while (true) {
    const block = blockAt(p, end);
    const letters = i8x16.lt_u(i8x16.sub(block, i8x16.splat(0x61)), i8x16.splat(26));
    const digits = i8x16.lt_u(i8x16.sub(block, i8x16.splat(0x30)), i8x16.splat(10));
    const marks = i8x16.lt_u(i8x16.sub(block, i8x16.splat(0x2d)), i8x16.splat(2));
    const others = ~<u32>i8x16.bitmask(v128.or(letters, v128.or(digits, marks))) & 0xffff;
    if (others != 0) {
      p += ctz(others);
      break;
    }
    p += 16;
  }
  if (p >= end || load<u8>(p) != 0x2f) return 0;
  let label = p;
  while (label > host && load<u8>(label - 1) != 0x2e) label--;
  return label == p || isDigit(load<u8>(label)) ? 0 : p;
}

/** Where the path ends that begins at p, and whether it has escapes (State.escapes); 0 = it is not plain, or has a segment that begins with a dot. */
function endOfPath(p: usize, end: usize): usize {
  let slashBefore: u32 = 0;
  State.escapes = 0;
  while (p < end) {
    const block = blockAt(p, end);
    const odd = oddOnes(block, PATH_LOW, PATH_HIGH);
    const slashes = <u32>i8x16.bitmask(i8x16.eq(block, i8x16.splat(0x2f)));
    const dots = <u32>i8x16.bitmask(i8x16.eq(block, i8x16.splat(0x2e)));
    const escapes = <u32>i8x16.bitmask(i8x16.eq(block, i8x16.splat(0x25)));
    const before = odd != 0 ? (odd & (0 - odd)) - 1 : 0xffff;
    const firsts = ((slashes << 1) | slashBefore) & before;
    if ((escapes & before) != 0) State.escapes = PATH_ESCAPES;
    if ((dots & firsts) != 0 || ((escapes & firsts) != 0 && hasDotEscape(p, escapes & firsts, end))) return 0;
    if (odd != 0) {
      p += ctz(odd);
      if (p >= end) return end;
      const c = load<u8>(p);
      return c == 0x3f || c == 0x23 ? p : 0;
    }
    slashBefore = slashes >> 15;
    p += 16;
  }
  return end;
}

/** Whether one of the escapes whose bits are set is that of a dot, "%2e". */
function hasDotEscape(p: usize, escapes: u32, end: usize): bool {
  for (; escapes != 0; escapes &= escapes - 1) {
    const at = p + <usize>ctz(escapes);
    if (end - at >= 3 && load<u8>(at, 1) == 0x32 && (load<u8>(at, 2) | 32) == 0x65) return true;
  }
  return false;
}

/** Where the query ends, which begins with the "?" at p if there is one; 0 = it isn't plain. */
function endOfQuery(p: usize, end: usize): usize {
  if (p == end || load<u8>(p) == 0x23) return p;
  p++;
  while (p < end) {
    const block = blockAt(p, end);
    const odd = oddOnes(block, QUERY_LOW, QUERY_HIGH);
    if (v128.any_true(i8x16.eq(block, i8x16.splat(0x25)))) State.escapes |= QUERY_ESCAPES;
    if (odd != 0) {
      p += ctz(odd);
      if (p >= end) return end;
      return load<u8>(p) == 0x23 ? p : 0;
    }
    p += 16;
  }
  return end;
}

function isPlainFragment(p: usize, end: usize): bool {
  for (; p < end; p += 16) {
    const odd = oddOnes(blockAt(p, end), PATH_LOW, PATH_HIGH);
    if (odd != 0) return p + ctz(odd) >= end;
  }
  return true;
}
