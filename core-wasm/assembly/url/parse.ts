/**
 * The basic URL parser (URL Standard 4.4) over UTF-8 bytes: trims, finds the scheme, picks the way.
 * The href is written as it is parsed; parts.ts holds where its parts lie.
 * Invariant: total; output is at most the base, 3 bytes for each byte of input, and ROOM.
 */

import { authority, fileHost, noHost } from "./authority";
import { isAlpha, isDigit, lower } from "./bytes";
import { E_INPUT_TOO_LONG, E_NO_ROOM, E_OPAQUE_BASE, E_RELATIVE } from "./error";
import { HOST_ROOM } from "./host";
import { base, clearParts, copyParts, KIND_FILE, KIND_OTHER, kindOf, url } from "./parts";
import {
  finish,
  finishFragment,
  opaquePath,
  pathSegments,
  pathStart,
  shorten,
  startsWithDriveLetter,
} from "./path";
import { startsPlain } from "./plain";
import { offset, PATH_ESCAPES, peek, put, QUERY_ESCAPES, State } from "./state";
import { reserve, URL_CLEAN, URL_HREF } from "../memory/buffers";
import { copyShort, findNewline } from "../memory/bytes";

/** Longest input: a data: URL as long as the scanned part of a page, and room. */
export const MAX_INPUT: usize = 8 * 1024 * 1024;
const ROOM: usize = HOST_ROOM + 64;

/** The base's href; 0 = there is none. */
let baseHref: usize = 0;

export function parseUrl(p: usize, len: usize, baseAt: usize): i32 {
  if (len > MAX_INPUT) return E_INPUT_TOO_LONG;
  baseHref = baseAt;
  const start = reserve(URL_HREF, len * 3 + (baseAt != 0 ? <usize>base.end : 0) + ROOM);
  if (start == 0) return E_NO_ROOM;
  State.start = start;
  State.escapes = PATH_ESCAPES | QUERY_ESCAPES;
  if (startsPlain(p, len)) return behindPlainHost(p, len);
  clearParts(url);
  State.out = start;
  trim(p, p + len);
  const failure = parseTrimmed();
  return failure < 0 ? failure : <i32>(State.out - State.start);
}

/** As the whole parser, where scheme, host and first slash are known already. */
function behindPlainHost(p: usize, len: usize): i32 {
  const path = url.pathStart;
  State.out = copyShort(State.start, p, path);
  trim(p + path, p + len);
  State.p++;
  pathSegments();
  finish();
  return <i32>(State.out - State.start);
}

/** Leading and trailing C0 controls and spaces go, and every tab and newline. */
function trim(p: usize, end: usize): void {
  while (p < end && load<u8>(p) <= 0x20) p++;
  while (end > p && load<u8>(end - 1) <= 0x20) end--;
  State.p = p;
  State.end = end;
  if (findNewline(p, end) < end) dropNewlines(p, end);
}

// @ts-ignore: decorator
@inline
function isDropped(c: u32): bool {
  return c == 9 || c == 10 || c == 13;
}

function dropNewlines(p: usize, end: usize): void {
  const clean = reserve(URL_CLEAN, end - p);
  let to = clean;
  for (; p < end; p++) {
    const c: u32 = load<u8>(p);
    if (!isDropped(c)) store<u8>(to++, <u8>c);
  }
  State.p = clean;
  State.end = to;
}

function parseTrimmed(): i32 {
  if (!scheme()) return withoutScheme();
  const hasBase = baseHref != 0;
  if (url.kind == KIND_FILE) return file(hasBase && base.kind == KIND_FILE);
  if (url.kind != KIND_OTHER) {
    const isRelative = hasBase && base.kind == url.kind && !(peek() == 0x2f && peek(1) == 0x2f);
    return isRelative ? relative() : specialAuthority();
  }
  if (peek() != 0x2f) {
    noAuthority();
    opaquePath();
    return finished();
  }
  State.p++;
  return slashed();
}

/** Reads and writes "scheme:". False when there is none; then nothing has happened. */
function scheme(): bool {
  let p = State.p;
  const end = State.end;
  if (p == end || !isAlpha(load<u8>(p))) return false;
  let out = State.out;
  for (; p < end; p++) {
    const c: u32 = load<u8>(p);
    if (c == 0x3a) break;
    if (!isAlpha(c) && !isDigit(c) && c != 0x2b && c != 0x2d && c != 0x2e) return false;
    store<u8>(out++, <u8>lower(c));
  }
  if (p == end) return false;
  url.kind = kindOf(State.start, out - State.start);
  State.out = out;
  put(0x3a);
  State.p = p + 1;
  url.schemeEnd = offset();
  return true;
}

function withoutScheme(): i32 {
  if (baseHref == 0) return E_RELATIVE;
  if (base.opaque) {
    if (peek() != 0x23) return E_OPAQUE_BASE;
    copyBase(base.queryEnd);
    return finishedFragment();
  }
  if (base.kind != KIND_FILE) {
    copyBase(base.schemeEnd);
    return relative();
  }
  copyBase(base.schemeEnd);
  return file(true);
}

/** Starts anew with the first `length` bytes of the base's href, and its parts. */
function copyBase(length: u32): void {
  copyShort(State.start, baseHref, length);
  copyParts(url, base);
  State.out = State.start + length;
}

function noAuthority(): void {
  url.hasHost = 0;
  url.hasUserinfo = 0;
  url.hostStart = offset();
  noHost();
}

function finished(): i32 {
  finish();
  return 0;
}

function finishedFragment(): i32 {
  finishFragment();
  return 0;
}

function specialAuthority(): i32 {
  while (peek() == 0x2f || peek() == 0x5c) State.p++;
  return authorityAndPath();
}

function authorityAndPath(): i32 {
  url.hasUserinfo = 0;
  url.opaque = 0;
  const failure = authority();
  if (failure < 0) return failure;
  pathStart();
  return finished();
}

/** Behind "scheme:/" of a scheme that isn't special: authority or path. */
function slashed(): i32 {
  if (peek() == 0x2f) {
    State.p++;
    return authorityAndPath();
  }
  noAuthority();
  url.pathStart = offset();
  pathSegments();
  return finished();
}

/** Relative state; the scheme is written and is the base's. */
function relative(): i32 {
  const special = base.kind != KIND_OTHER;
  const c = peek();
  if (c == 0x2f || (c == 0x5c && special)) {
    const next = peek(1);
    if (special && (next == 0x2f || next == 0x5c)) return specialAuthority();
    if (next == 0x2f) {
      State.p += 2;
      return authorityAndPath();
    }
    copyBase(base.authorityEnd);
    State.p++;
    url.pathStart = offset();
    pathSegments();
    return finished();
  }
  return fromBasePath();
}

/** The base's authority and path, then: its query, another query, or another last segment. */
function fromBasePath(): i32 {
  const c = peek();
  if (State.p == State.end || c == 0x23) {
    copyBase(base.queryEnd);
    return finishedFragment();
  }
  copyBase(base.authorityEnd);
  url.pathStart = offset();
  const length = base.pathEnd - base.pathStart;
  copyShort(State.out, baseHref + base.pathStart, length);
  State.out += length;
  if (c != 0x3f) {
    State.out = shorten(State.out);
    pathSegments();
  }
  return finished();
}

/** File and file slash state; `file:` is written. */
function file(hasFileBase: bool): i32 {
  const c = peek();
  if (c != 0x2f && c != 0x5c) return hasFileBase ? fileFromBase() : fileFromRoot();
  const next = peek(1);
  if (next == 0x2f || next == 0x5c) {
    State.p += 2;
    const failure = fileHost();
    return failure < 0 ? failure : finished();
  }
  State.p++;
  if (!hasFileBase) return fileFromRoot();
  copyBase(base.authorityEnd);
  url.pathStart = offset();
  if (!startsWithDriveLetter(State.p, State.end)) keepBaseDrive();
  pathSegments();
  return finished();
}

function fileFromRoot(): i32 {
  url.hasHost = 1;
  put(0x2f);
  put(0x2f);
  url.hostStart = offset();
  noHost();
  url.pathStart = offset();
  pathSegments();
  return finished();
}

function fileFromBase(): i32 {
  const c = peek();
  if (State.p == State.end || c == 0x3f || c == 0x23 || !startsWithDriveLetter(State.p, State.end)) return fromBasePath();
  copyBase(base.authorityEnd);
  url.pathStart = offset();
  pathSegments();
  return finished();
}

/** "/C:" of the base stays where a path begins anew. */
function keepBaseDrive(): void {
  const path = baseHref + base.pathStart;
  const length = base.pathEnd - base.pathStart;
  const isDrive = length >= 3 && isAlpha(load<u8>(path, 1)) && load<u8>(path, 2) == 0x3a &&
    (length == 3 || load<u8>(path, 3) == 0x2f);
  if (!isDrive) return;
  memory.copy(State.out, path, 3);
  State.out += 3;
}
