/**
 * A batch of absolute http(s) URLs in one crossing, answered as columns.
 * In: the texts one behind the other, and where each ends (u32). Out, at the returned address, for
 * n URLs: fingerprints u64[n], then columns i32/u32[n]: status, href offset, href length, key offset, key length, host
 * offset, host length. Offsets count from textPtr().
 * Invariant: one refused URL changes nothing for the others; text is bounded by the length limit of each.
 */

import { xxh64 } from "../hash/xxh64";
import { capacity, INPUT, INPUT_ENDS, OUTPUT, reserve, reserveKept, TEXT } from "../memory/buffers";
import { copyShort, findByte, sameBytes } from "../memory/bytes";
import { E_HOST_NO_DNS_NAME, E_NO_ROOM, E_URL_TOO_LONG } from "./error";
import { Key, normalize } from "./normalize";
import { parseUrl } from "./parse";
import { url } from "./parts";
import { parsePlain } from "./plain";
import { State } from "./state";

/** Status of a URL that was accepted: bits say what needn't be read from the text. */
const HREF_IS_INPUT: i32 = 1;
const KEY_IS_HREF: i32 = 2;
/** DNS (RFC 1035 2.3.4): labels of 63, names of 253 bytes, without the last dot. */
const LABEL_BYTES: usize = 63;
const NAME_BYTES: usize = 253;
/** Input may be longer than the limit: dot segments, newlines and white space go. */
const INPUT_FACTOR: usize = 8;
const COLUMNS: usize = 7;

let text: usize = 0;
let textLength: usize = 0;

export function textPtr(): usize {
  return text;
}

export function textBytes(): usize {
  return textLength;
}

/** As `normalizeBatch`, over what the host wrote to INPUT and INPUT_ENDS. */
export function normalizeInput(count: usize, maxBytes: usize, rules: u32): usize {
  if (count << 2 > capacity(INPUT_ENDS)) return 0;
  return normalizeBatch(reserve(INPUT, 0), capacity(INPUT), reserve(INPUT_ENDS, 0), count, maxBytes, rules);
}

/**
 * Normalises `count` URLs of at most `maxBytes` (href): the address of the answers, 0 = no room. Ends that lie beyond
 * the input, or before the one before, are taken for the nearest that don't.
 */
export function normalizeBatch(
  input: usize,
  inputBytes: usize,
  ends: usize,
  count: usize,
  maxBytes: usize,
  rules: u32,
): usize {
  const out = reserve(OUTPUT, count * (8 + COLUMNS * 4) + 8);
  if (out == 0) return 0;
  const columns = out + (count << 3);
  memory.fill(out, 0, count * (8 + COLUMNS * 4));
  textLength = 0;
  let from: usize = 0;
  for (let i: usize = 0; i < count; i++) {
    const to = max<usize>(from, min<usize>(load<u32>(ends + (i << 2)), inputBytes));
    const status = one(input + from, to - from, maxBytes, rules);
    store<i32>(columns + (i << 2), status);
    if (status >= 0) answer(out, columns, count, i, status);
    from = to;
  }
  return out;
}

/** Parses, checks and normalises one: its status. */
function one(p: usize, length: usize, maxBytes: usize, rules: u32): i32 {
  if (length > maxBytes * INPUT_FACTOR) return E_URL_TOO_LONG;
  const parsed = parsePlain(p, length) ? <i32>length : parseUrl(p, length, 0);
  if (parsed < 0) return parsed;
  const hrefLength: usize = url.queryEnd;
  const key = hrefLength > maxBytes ? E_URL_TOO_LONG : normalize(rules);
  if (key < 0) return key;
  if (!isDnsName(State.start + url.hostStart, State.start + url.hostEnd)) return E_HOST_NO_DNS_NAME;
  text = reserveKept(TEXT, textLength + hrefLength + <usize>key);
  if (text == 0) return E_NO_ROOM;
  const sameInput = length == hrefLength && (State.start == p || sameBytes(p, State.start, length));
  const sameKey = Key.start == State.start ||
    (<usize>key == hrefLength && sameBytes(Key.start, State.start, hrefLength));
  return (sameInput ? HREF_IS_INPUT : 0) | (sameKey ? KEY_IS_HREF : 0);
}

function answer(out: usize, columns: usize, count: usize, i: usize, status: i32): void {
  const keyLength = Key.end - Key.start;
  const column = count << 2;
  let at = columns + (i << 2) + column;
  const hrefAt = textLength;
  append(State.start, url.queryEnd);
  const keyAt = (status & KEY_IS_HREF) != 0 ? hrefAt : textLength;
  if (keyAt != hrefAt) append(Key.start, keyLength);
  store<u64>(out + (i << 3), xxh64(text + keyAt, keyLength));
  store<u32>(at, <u32>hrefAt);
  store<u32>(at + column, url.queryEnd);
  at += column << 1;
  store<u32>(at, <u32>keyAt);
  store<u32>(at + column, <u32>keyLength);
  at += column << 1;
  store<u32>(at, <u32>hrefAt + url.hostStart);
  store<u32>(at + column, url.hostEnd - url.hostStart);
}

function append(from: usize, bytes: usize): void {
  copyShort(text + textLength, from, bytes);
  textLength += bytes;
}

/** No label is empty or too long, and the name isn't. */
function isDnsName(p: usize, end: usize): bool {
  if (load<u8>(p) == 0x5b) return true;
  if (end > p && load<u8>(end - 1) == 0x2e) end--;
  if (end - p > NAME_BYTES) return false;
  for (let dot = p; p <= end; p = dot + 1) {
    dot = findByte(p, end, 0x2e);
    if (dot == p || dot - p > LABEL_BYTES) return false;
  }
  return true;
}
