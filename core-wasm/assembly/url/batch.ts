/**
 * A batch of absolute http(s) URLs in one crossing, answered as columns.
 * In: the texts one behind the other, and where each ends (u32). Out, at the returned address, for n URLs: fingerprints
 * u64[n], then words of 32 bits: status[n], host[n] (offset in the href << HOST_BITS | length), and for each URL that was
 * changed a row of four: href offset and length, key offset and length, offsets counting from textPtr(). A status below 0
 * is an error; else it is bits, and the row's number << 2. What the bits say to be the input, or the href, isn't in the text.
 * Invariant: one refused URL changes nothing for the others; text is bounded by the length limit of each.
 */

import { xxh64 } from "../hash/xxh64";
import { capacity, INPUT, INPUT_ENDS, OUTPUT, reserve, reserveKept, TEXT } from "../memory/buffers";
import { copyShort, sameBytes } from "../memory/bytes";
import { isDnsName } from "./dns_name";
import { E_HOST_NO_DNS_NAME, E_NO_ROOM, E_URL_TOO_LONG } from "./error";
import { Key, normalize } from "./normalize";
import { parseUrl } from "./parse";
import { url } from "./parts";
import { parsePlain } from "./plain";
import { State } from "./state";

/** Status of a URL that was accepted: bits say what needn't be read from the text. */
const HREF_IS_INPUT: i32 = 1;
const KEY_IS_HREF: i32 = 2;
/** Input may be longer than the limit: dot segments, newlines and white space go. */
const INPUT_FACTOR: usize = 8;
/** Bytes of a row; bytes of the columns for each URL. */
const ROW: usize = 16;
const COLUMNS: usize = 16;
/** DNS names and addresses are shorter than 512 bytes. */
const HOST_BITS: u32 = 9;

let rowCount: usize = 0;
let text: usize = 0;
let textLength: usize = 0;

/** Rows of the answer to the batch before. */
export function urlRows(): usize {
  return rowCount;
}

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
  const out = reserve(OUTPUT, count * (COLUMNS + ROW));
  if (out == 0) return 0;
  const statuses = out + (count << 3);
  const rows = out + count * COLUMNS;
  textLength = 0;
  rowCount = 0;
  let from: usize = 0;
  for (let i: usize = 0; i < count; i++) {
    const to = max<usize>(from, min<usize>(load<u32>(ends + (i << 2)), inputBytes));
    const status = one(input + from, to - from, maxBytes, rules);
    const at = statuses + (i << 2);
    store<u64>(out + (i << 3), status < 0 ? 0 : xxh64(Key.start, Key.end - Key.start));
    store<u32>(at + (count << 2), status < 0 ? 0 : (url.hostStart << HOST_BITS) | (url.hostEnd - url.hostStart));
    const isChanged = status >= 0 && status != (HREF_IS_INPUT | KEY_IS_HREF);
    store<i32>(at, isChanged ? status | <i32>(rowCount << 2) : status);
    if (isChanged) tell(rows + rowCount++ * ROW, status);
    from = to;
  }
  return out;
}

/** Parses, checks and normalises one: its status. */
function one(p: usize, length: usize, maxBytes: usize, rules: u32): i32 {
  if (length > maxBytes * INPUT_FACTOR) return E_URL_TOO_LONG;
  const isPlain = parsePlain(p, length);
  const parsed = isPlain ? <i32>length : parseUrl(p, length, 0);
  if (parsed < 0) return parsed;
  const hrefLength: usize = url.queryEnd;
  const key = hrefLength > maxBytes ? E_URL_TOO_LONG : normalize(rules);
  if (key < 0) return key;
  if (!isPlain && !isDnsName(State.start + url.hostStart, State.start + url.hostEnd)) return E_HOST_NO_DNS_NAME;
  const sameInput = length == hrefLength && (State.start == p || sameBytes(p, State.start, length));
  const sameKey = Key.start == State.start ||
    (<usize>key == hrefLength && sameBytes(Key.start, State.start, hrefLength));
  text = reserveKept(TEXT, textLength + (sameInput ? 0 : hrefLength) + (sameKey ? 0 : <usize>key));
  if (text == 0) return E_NO_ROOM;
  return (sameInput ? HREF_IS_INPUT : 0) | (sameKey ? KEY_IS_HREF : 0);
}

/** Writes what isn't the input to the text, and where it stands there to the row. */
function tell(row: usize, status: i32): void {
  const keyLength = Key.end - Key.start;
  store<u32>(row, (status & HREF_IS_INPUT) != 0 ? 0 : append(State.start, url.queryEnd));
  store<u32>(row, url.queryEnd, 4);
  store<u32>(row, (status & KEY_IS_HREF) != 0 ? 0 : append(Key.start, keyLength), 8);
  store<u32>(row, <u32>keyLength, 12);
}

/** Writes to the text: the offset. */
function append(from: usize, bytes: usize): u32 {
  const at = textLength;
  copyShort(text + at, from, bytes);
  textLength += bytes;
  return <u32>at;
}
