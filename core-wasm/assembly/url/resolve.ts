/**
 * Resolves references against a base that is parsed once.
 * Invariant: the base stays until the next setBase or clearBase, whatever is parsed in between.
 */

import { E_NO_ROOM } from "./error";
import { parseUrl } from "./parse";
import { base, copyParts, KIND_HTTP, KIND_HTTPS, url } from "./parts";
import { isPlainTail, parsePlain } from "./plain";
import { State } from "./state";
import { reserve, URL_BASE } from "../memory/buffers";
import { copyShort } from "../memory/bytes";

let href: usize = 0;
let hrefLen: usize = 0;

/** Parses an absolute URL and keeps it as the base: 0, or an error; then there is no base. */
export function setBase(ptr: usize, len: usize): i32 {
  clearBase();
  const length = parseUrl(ptr, len, 0);
  if (length < 0) return length;
  const kept = reserve(URL_BASE, length);
  if (kept == 0) return E_NO_ROOM;
  memory.copy(kept, State.start, length);
  copyParts(base, url);
  href = kept;
  hrefLen = length;
  return 0;
}

export function clearBase(): void {
  href = 0;
  hrefLen = 0;
}

export function baseHrefPtr(): usize {
  return href;
}

export function baseHrefLen(): usize {
  return hrefLen;
}

/** Parses against the base, if there is one: the href's length, or an error. It lies at State.start until the next call. */
export function resolve(ref: usize, refLen: usize): i32 {
  return parseUrl(ref, refLen, href);
}

/** As `resolve`, and copies the href to `out`; E_NO_ROOM when it is longer than `outCap`. */
export function resolveInto(ref: usize, refLen: usize, out: usize, outCap: usize): i32 {
  const plain = plainInto(ref, refLen, out, outCap);
  if (plain != 0) return plain;
  const length = parseUrl(ref, refLen, href);
  if (length < 0) return length;
  if (<usize>length > outCap) return E_NO_ROOM;
  memory.copy(out, State.start, length);
  return length;
}

/** The two commonest kinds of links, by plain.ts: absolute ones and "/path"; 0 = it is another, or has no room. */
function plainInto(ref: usize, refLen: usize, out: usize, outCap: usize): i32 {
  if (refLen < 2 || refLen > outCap) return 0;
  if (load<u8>(ref) != 0x2f) {
    if (!parsePlain(ref, refLen)) return 0;
    copyShort(out, ref, refLen);
    return <i32>refLen;
  }
  const isHttp = href != 0 && (base.kind == KIND_HTTP || base.kind == KIND_HTTPS);
  const origin: usize = base.authorityEnd;
  if (!isHttp || load<u8>(ref, 1) == 0x2f || origin + refLen > outCap || !isPlainTail(ref, ref + refLen)) return 0;
  copyShort(copyShort(out, href, origin), ref, refLen);
  return <i32>(origin + refLen);
}
