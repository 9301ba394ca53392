/**
 * The scan's answer: links resolved against the page's base, and the facts in a fixed header that the host reads.
 * Invariant: all addresses lie in buffers of the core and stay valid until the next scan; what didn't fit is left out
 * and told by FLAG_TRUNCATED.
 */

import { valueTooLong } from "./attributes";
import { BLANK, skipSpace, startsIgnoringCase, trimEnd } from "./bytes";
import { HTML_FACTS, HTML_ROWS, HTML_SEEN, HTML_STRINGS, HTML_TEXT, HTML_URLS } from "./buffers";
import { ANCHOR_BYTES, canonicalLen, canonicalPtr, LINK_BYTES, linkCount, linkRow, linksTruncated } from "./links";
import { baseLen, basePtr, langLen, langPtr, titleEnd, titleStart } from "./page";
import { encodedLen, encodedPtr, encodeQuery, needsEncoding } from "./query_encoding";
import { noarchive, nofollow, noindex, nosnippet } from "./robots_meta";
import { xxh64 } from "../hash/xxh64";
import { capacity, reserve, reserveKept } from "../memory/buffers";
import { beginFold, fold, folded, foldRoom } from "../text/fold";
import { baseHrefLen, baseHrefPtr, clearBase, resolveInto, setBase } from "../url/resolve";

/** 32-bit words: see HEADER_* of scan_answer.ts for their order. */
export const HEADER: usize = memory.data(96, 16);
const FLAG_NOINDEX: usize = 1;
const FLAG_NOFOLLOW: usize = 2;
const FLAG_TRUNCATED: usize = 4;
const FLAG_NOARCHIVE: usize = 8;
const FLAG_NOSNIPPET: usize = 16;

/**
 * Row of a link: end of its href, of its href without fragment, first link with the same, end of raw, of rel, kind, end
 * of hreflang, of anchor text; XXH64 of the href without fragment (http(s) only).
 */
const ROW: usize = 40;
const HTTP: u32 = 0x200;
const TITLE_BYTES: usize = 512;
const LANG_BYTES: usize = 64;
/** Longest href: each byte of a link percent-encoded, on the longest base. */
const HREF_BYTES: usize = LINK_BYTES * 4;
/** Bound of all hrefs of a page together. */
const URLS_BYTES: usize = 8 * 1024 * 1024;

let truncated: bool = false;
let urlsUsed: usize = 0;
let stringsUsed: usize = 0;
let resolved: u32 = 0;

function word(index: usize, value: usize): void {
  store<u32>(HEADER + (index << 2), <u32>value);
}

/** Sets the base that `<base>` asks for: javascript: and data: are ignored, as is what doesn't parse (WHATWG HTML 4.2.3). */
function chooseBase(pageUrl: usize, pageUrlLen: usize, room: usize): void {
  if (setBase(pageUrl, pageUrlLen) < 0) clearBase();
  if (baseLen == 0 || baseLen > LINK_BYTES) return;
  const length = resolveInto(basePtr, baseLen, room, HREF_BYTES);
  if (length <= 0) return;
  const end = room + <usize>length;
  if (startsIgnoringCase(room, end, "data:") || startsIgnoringCase(room, end, "javascript:")) return;
  if (setBase(room, <usize>length) < 0 && setBase(pageUrl, pageUrlLen) < 0) clearBase();
}

/** Writes the answer; false when there is no memory for it. `pageUrl` is the WHATWG href of the page. */
export function answer(pageUrl: usize, pageUrlLen: usize): bool {
  truncated = linksTruncated || valueTooLong;
  const facts = reserve(HTML_FACTS, TITLE_BYTES + LANG_BYTES + HREF_BYTES * 2 + 64);
  const rows = reserve(HTML_ROWS, <usize>linkCount * ROW + 64);
  if (facts == 0 || rows == 0) return false;
  const baseAt = facts + TITLE_BYTES + LANG_BYTES + 64;
  chooseBase(pageUrl, pageUrlLen, baseAt);
  if (!resolveLinks(rows)) return false;
  word(0, resolved);
  word(1, reserveKept(HTML_URLS, 1));
  word(2, urlsUsed);
  word(3, reserveKept(HTML_STRINGS, 1));
  word(4, stringsUsed);
  word(5, rows);
  const canonicalAt = baseAt + HREF_BYTES;
  const hasCanonical = canonicalLen != 0 && canonicalLen <= LINK_BYTES;
  const canonical = hasCanonical ? resolveTo(canonicalPtr, canonicalLen, canonicalAt) : 0;
  word(13, canonicalAt);
  word(14, canonical > 0 ? <usize>canonical : 0);
  word(11, baseHrefPtr());
  word(12, baseHrefLen());
  word(8, 0);
  writeTitle(facts);
  writeLang(facts + TITLE_BYTES + 8);
  let flags: usize = noindex ? FLAG_NOINDEX : 0;
  if (nofollow) flags |= FLAG_NOFOLLOW;
  if (truncated) flags |= FLAG_TRUNCATED;
  if (noarchive) flags |= FLAG_NOARCHIVE;
  if (nosnippet) flags |= FLAG_NOSNIPPET;
  word(6, flags);
  return true;
}

/** By way of the text's buffer, whose text has been hashed by now: a title may be as long as a page. */
function writeTitle(at: usize): void {
  const text = reserve(HTML_TEXT, foldRoom(titleEnd - titleStart));
  if (text == 0) return;
  beginFold(text, capacity(HTML_TEXT));
  fold(titleStart, titleEnd, true);
  let length = folded();
  if (length > TITLE_BYTES) length = wholeCharacters(text, TITLE_BYTES);
  memory.copy(at, text, length);
  word(7, at);
  word(8, length);
}

/** Copied, since the page itself may be gone before the answer is read. */
function writeLang(at: usize): void {
  const start = skipSpace(langPtr, langPtr + langLen);
  const length = trimEnd(start, langPtr + langLen) - start;
  word(9, at);
  word(10, length > LANG_BYTES ? 0 : length);
  if (length <= LANG_BYTES) memory.copy(at, start, length);
}

function resolveLinks(rows: usize): bool {
  urlsUsed = 0;
  stringsUsed = 0;
  resolved = 0;
  if (reserve(HTML_URLS, <usize>linkCount * 96 + HREF_BYTES) == 0 || !openSeen()) return false;
  for (let i: u32 = 0; i < linkCount; i++) {
    const row = linkRow(i);
    const length = resolveLink(load<u32>(row), load<u32>(row, 4));
    if (length <= 0) continue;
    const at = rows + <usize>resolved * ROW;
    if (!appendStrings(row, at)) {
      truncated = true;
      return true;
    }
    writeRow(at, load<u32>(row, 32), <usize>length);
    resolved++;
  }
  return true;
}

/** Resolves a link to `out` (HREF_BYTES), its query in the page's charset when the scheme asks for that. */
function resolveTo(ptr: usize, len: usize, out: usize): i32 {
  const length = resolveInto(ptr, len, out, HREF_BYTES);
  if (length <= 0 || !needsEncoding(ptr, len) || !encodesQuery(out, <usize>length) || !encodeQuery(ptr, len)) return length;
  return resolveInto(encodedPtr, encodedLen, out, HREF_BYTES);
}

/** Special schemes but ws and wss (URL Standard 4.4, query state). */
function encodesQuery(href: usize, length: usize): bool {
  const end = href + length;
  return startsIgnoringCase(href, end, "http:") || startsIgnoringCase(href, end, "https:") ||
    startsIgnoringCase(href, end, "ftp:") || startsIgnoringCase(href, end, "file:");
}

/** Resolves to the end of the hrefs; <= 0 when it isn't a URL or there is no room. */
function resolveLink(ptr: usize, len: usize): i32 {
  if (urlsUsed + HREF_BYTES > capacity(HTML_URLS)) {
    if (urlsUsed + HREF_BYTES > URLS_BYTES || reserveKept(HTML_URLS, urlsUsed + HREF_BYTES) == 0) {
      truncated = true;
      return 0;
    }
  }
  return resolveTo(ptr, len, reserveKept(HTML_URLS, 1) + urlsUsed);
}

/** Copies a link's strings behind those before it, and notes their ends in its answer. */
function appendStrings(row: usize, at: usize): bool {
  const text = textLength(row);
  const needed = <usize>load<u32>(row, 4) + load<u32>(row, 12) + load<u32>(row, 20) + text;
  const strings = reserveKept(HTML_STRINGS, stringsUsed + needed + 64);
  if (strings == 0) return false;
  store<u32>(at, append(strings, load<u32>(row), load<u32>(row, 4)), 12);
  store<u32>(at, append(strings, load<u32>(row, 8), load<u32>(row, 12)), 16);
  store<u32>(at, append(strings, load<u32>(row, 16), load<u32>(row, 20)), 24);
  store<u32>(at, append(strings, load<u32>(row, 24), text), 28);
  return true;
}

function append(strings: usize, from: usize, bytes: usize): u32 {
  memory.copy(strings + stringsUsed, from, bytes);
  stringsUsed += bytes;
  return <u32>stringsUsed;
}

/** The anchor text without a space at its start, cut to whole characters. Leaves its start in the row. */
function textLength(row: usize): usize {
  let from: usize = load<u32>(row, 24);
  let length: usize = load<u32>(row, 28);
  if (length != 0 && load<u8>(from) == BLANK) {
    from++;
    length--;
    store<u32>(row, <u32>from, 24);
  }
  return length <= ANCHOR_BYTES ? length : wholeCharacters(from, ANCHOR_BYTES);
}

/** The most of the `bytes` at `from` that ends with a whole character, and with no space. */
function wholeCharacters(from: usize, bytes: usize): usize {
  while (bytes > 0 && (<u32>load<u8>(from + bytes) & 0xc0) == 0x80) bytes--;
  return bytes > 0 && <u32>load<u8>(from + bytes - 1) == BLANK ? bytes - 1 : bytes;
}

function writeRow(at: usize, flags: u32, length: usize): void {
  const href = reserveKept(HTML_URLS, 1) + urlsUsed;
  let stem: usize = 0;
  while (stem < length && load<u8>(href + stem) != 0x23) stem++;
  let kind = flags;
  let first = resolved;
  let hash: u64 = 0;
  if (load<u32>(href) == 0x70747468 && (load<u16>(href, 4) == 0x2f3a || load<u16>(href, 4) == 0x3a73)) {
    kind |= HTTP;
    hash = xxh64(href, stem);
    first = firstWith(hash, urlsUsed, stem);
  }
  store<u32>(at, <u32>(urlsUsed + length));
  store<u32>(at, <u32>(urlsUsed + stem), 4);
  store<u32>(at, first, 8);
  store<u32>(at, kind, 20);
  store<u64>(at, hash, 32);
  urlsUsed += length;
}

// Which hrefs (without fragment) were met: slots of hash u64, place u32, length u32, link + 1 u32, unused u32.
const SEEN_SLOT: usize = 24;
let seen: usize = 0;
let seenMask: usize = 0;

function openSeen(): bool {
  let slots: usize = 64;
  while (slots < <usize>linkCount * 2) slots <<= 1;
  seen = reserve(HTML_SEEN, slots * SEEN_SLOT);
  if (seen == 0) return false;
  seenMask = slots - 1;
  memory.fill(seen, 0, slots * SEEN_SLOT);
  return true;
}

/** The first link whose href without fragment is the `stem` bytes at `offset`, which have this hash. */
function firstWith(hash: u64, offset: usize, stem: usize): u32 {
  const urls = reserveKept(HTML_URLS, 1);
  let slot = <usize>hash & seenMask;
  while (true) {
    const at = seen + slot * SEEN_SLOT;
    const link = load<u32>(at, 16);
    if (link == 0) {
      store<u64>(at, hash);
      store<u32>(at, <u32>offset, 8);
      store<u32>(at, <u32>stem, 12);
      store<u32>(at, resolved + 1, 16);
      return resolved;
    }
    if (
      load<u64>(at) == hash && <usize>load<u32>(at, 12) == stem &&
      memory.compare(urls + load<u32>(at, 8), urls + offset, stem) == 0
    ) return link - 1;
    slot = (slot + 1) & seenMask;
  }
  return resolved;
}
