/**
 * The links of a page as they are met, unresolved: `<base>` may still come.
 * Invariant: at most MAX_LINKS, none longer than LINK_BYTES; what was left out is told by `linksTruncated`.
 */

import { has, HREF, HREFLANG, SRCSET, takeValue, valueLen, valuePtr } from "./attributes";
import { APOSTROPHE, DIGIT, EQUALS, is, QUOTE, SEMICOLON, skipSpace, SPACE, startsIgnoringCase, trimEnd } from "./bytes";
import { reserve } from "../memory/buffers";
import { HTML_LINKS } from "./buffers";
import { readRel, REL_CANONICAL, REL_EMBED, REL_HINT, REL_NOFOLLOW, relBits, relPtr } from "./rel";

/** LinkKind of core.ts, in its order. */
export const KIND_A: u32 = 0;
export const KIND_AREA: u32 = 1;
export const KIND_LINK: u32 = 2;
export const KIND_IFRAME: u32 = 3;
export const KIND_FRAME: u32 = 4;
export const KIND_FORM: u32 = 5;
export const KIND_META_REFRESH: u32 = 6;
export const KIND_EMBED: u32 = 7;
export const NOFOLLOW: u32 = 0x100;

/** LIMITS.outlinksPerPage. */
export const MAX_LINKS: u32 = 10_000;
/** Longest value that is taken for a URL: eight times LIMITS.urlBytes. */
export const LINK_BYTES: usize = 16_384;
/** Longest hreflang and longest anchor text that are reported. */
const HREFLANG_BYTES: usize = 64;
export const ANCHOR_BYTES: usize = 512;
/** Pairs of address and length: raw, rel, hreflang, anchor text (without one, 0 and 0); then kind and flags. */
const ROW: usize = 36;

export let linkCount: u32 = 0;
export let linksTruncated: bool = false;
export let canonicalPtr: usize = 0;
export let canonicalLen: usize = 0;
let rows: usize = 0;
/** The row of the `<a>` that is open and whose text is wanted; 0 = none. */
let anchor: usize = 0;

export function resetLinks(): bool {
  linkCount = 0;
  linksTruncated = false;
  canonicalLen = 0;
  anchor = 0;
  rows = reserve(HTML_LINKS, <usize>MAX_LINKS * ROW);
  return rows != 0;
}

export function linkRow(index: u32): usize {
  return rows + <usize>index * ROW;
}

/** Adds [from, end) unless it is empty: an empty href names the page itself. Its row; 0 = left out. */
function push(from: usize, to: usize, kind: u32, rel: usize, relLen: usize): usize {
  const start = skipSpace(from, to);
  const end = trimEnd(start, to);
  if (start >= end) return 0;
  if (end - start > LINK_BYTES || linkCount >= MAX_LINKS) {
    linksTruncated = true;
    return 0;
  }
  const row = linkRow(linkCount++);
  store<u32>(row, <u32>from);
  store<u32>(row, <u32>(to - from), 4);
  store<u32>(row, <u32>rel, 8);
  store<u32>(row, <u32>relLen, 12);
  store<u64>(row, 0, 16);
  store<u64>(row, 0, 24);
  store<u32>(row, kind, 32);
  return row;
}

/** Notes the tag's hreflang in the row of its link. */
function noteLanguage(row: usize): void {
  if (row == 0 || !has(HREFLANG) || !takeValue(HREFLANG)) return;
  const start = skipSpace(valuePtr, valuePtr + valueLen);
  const length = trimEnd(start, valuePtr + valueLen) - start;
  if (length > HREFLANG_BYTES) return;
  store<u32>(row, <u32>start, 16);
  store<u32>(row, <u32>length, 20);
}

/** The text that is folded from here on is that of the link just added, until closeAnchor. */
export function openAnchor(text: usize): void {
  if (anchor != 0) store<u32>(anchor, <u32>text, 24);
}

/** The open `<a>` ends, if there is one, where the folded text does. */
export function closeAnchor(text: usize): void {
  if (anchor != 0) store<u32>(anchor, <u32>(text - load<u32>(anchor, 24)), 28);
  anchor = 0;
}

/** Adds the value that takeValue found, with the tag's rel. */
export function addLink(kind: u32): void {
  const ptr = valuePtr;
  const end = ptr + valueLen;
  const relLen = readRel();
  anchor = push(ptr, end, (relBits & REL_NOFOLLOW) != 0 ? kind | NOFOLLOW : kind, relPtr, relLen);
  noteLanguage(anchor);
  if (kind != KIND_A) anchor = 0;
}

/**
 * `<link>`: what a browser fetches for the page itself (stylesheet, icon, preload, manifest ...) is an embed; preconnect
 * and dns-prefetch name no resource and are left out; everything else (next, canonical, alternate ...) is a link.
 */
export function addLinkElement(embeds: bool): void {
  if (!takeValue(HREF)) return;
  const ptr = valuePtr;
  const len = valueLen;
  const relLen = readRel();
  if ((relBits & REL_CANONICAL) != 0 && canonicalLen == 0) {
    canonicalPtr = ptr;
    canonicalLen = len;
  }
  if ((relBits & REL_HINT) != 0) return;
  const isEmbed = (relBits & REL_EMBED) != 0;
  if (isEmbed && (!embeds || isData(ptr, ptr + len))) return;
  const flags: u32 = (relBits & REL_NOFOLLOW) != 0 ? NOFOLLOW : 0;
  noteLanguage(push(ptr, ptr + len, (isEmbed ? KIND_EMBED : KIND_LINK) | flags, relPtr, relLen));
}

/** Data is in the page already: there is nothing to fetch. */
function isData(p: usize, end: usize): bool {
  return startsIgnoringCase(skipSpace(p, end), end, "data:");
}

/** Adds the attribute as an embed. */
export function addEmbed(attribute: u32): void {
  if (!takeValue(attribute) || isData(valuePtr, valuePtr + valueLen)) return;
  push(valuePtr, valuePtr + valueLen, KIND_EMBED, 0, 0);
}

/** Each candidate of srcset (WHATWG HTML 4.8.4.2.2); descriptors are skipped, commas in their parentheses too. */
export function addSrcset(): void {
  if (!takeValue(SRCSET)) return;
  const end = valuePtr + valueLen;
  let p = valuePtr;
  while (true) {
    while (p < end && (is(<u32>load<u8>(p), SPACE) || <u32>load<u8>(p) == COMMA)) p++;
    if (p >= end) return;
    const start = p;
    while (p < end && !is(<u32>load<u8>(p), SPACE)) p++;
    let stop = p;
    while (stop > start && <u32>load<u8>(stop - 1) == COMMA) stop--;
    if (!isData(start, stop)) push(start, stop, KIND_EMBED, 0, 0);
    if (stop == p) p = skipDescriptors(p, end);
  }
}

const COMMA: u32 = 0x2c;

function skipDescriptors(from: usize, end: usize): usize {
  let p = from;
  let inside = false;
  while (p < end) {
    const byte = <u32>load<u8>(p++);
    if (byte == 0x28) inside = true;
    else if (byte == 0x29) inside = false;
    else if (byte == COMMA && !inside) return p;
  }
  return p;
}

/** The URL in a refresh's content (WHATWG HTML 4.2.5.3, "shared declarative refresh steps"). */
export function addRefresh(from: usize, end: usize): void {
  let p = skipSpace(from, end);
  const digits = p;
  while (p < end && isTime(<u32>load<u8>(p))) p++;
  if (p == digits || p >= end) return;
  const after = <u32>load<u8>(p);
  if (!is(after, SPACE) && after != SEMICOLON && after != COMMA) return;
  p = skipSpace(p, end);
  if (p < end && (<u32>load<u8>(p) == SEMICOLON || <u32>load<u8>(p) == COMMA)) p++;
  p = skipSpace(p, end);
  const url = p;
  if (startsIgnoringCase(p, end, "url")) {
    p = skipSpace(p + 3, end);
    p = p < end && <u32>load<u8>(p) == EQUALS ? skipSpace(p + 1, end) : url;
  }
  if (p >= end) return;
  const quote = <u32>load<u8>(p);
  let stop = end;
  if (quote == QUOTE || quote == APOSTROPHE) {
    p++;
    stop = p;
    while (stop < end && <u32>load<u8>(stop) != quote) stop++;
  }
  push(p, stop, KIND_META_REFRESH, 0, 0);
}

function isTime(byte: u32): bool {
  return is(byte, DIGIT) || byte == 0x2e;
}
