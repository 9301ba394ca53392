/**
 * The rules that are off by default: they take spellings of host and path for one that servers mostly, but not always,
 * answer alike. Invariant: in place, never longer; doing it twice is doing it once.
 */

import { isDigit, lower, lowerCase } from "./bytes";
import { COLLAPSE_SLASHES, DROP_HOST_DOT, DROP_INDEX_FILE, DROP_TRAILING_SLASH, LOWER_CASE, STRIP_SESSIONS, STRIP_WWW } from "./profile";
import { withoutPathSession } from "./sessions";
import { findByte } from "../memory/bytes";

const SLASH: u8 = 0x2f;
/** What follows "index." and "default.": data. */
const INDEX_TYPES: string = " htm html xhtml shtml phtml php php3 php4 php5 asp aspx jsp jspx cfm ";

/** Where the host begins that is left of [p, end). */
export function foldedHostStart(p: usize, end: usize, rules: u32): usize {
  if ((rules & STRIP_WWW) == 0) return p;
  for (let rest = afterWww(p, end); rest != p; rest = afterWww(p, end)) {
    // "www.com" is a name of its own, and a label is never empty for it.
    if (load<u8>(rest) == 0x2e || findByte(rest, end, 0x2e) == end) return p;
    p = rest;
  }
  return p;
}

/** Where it ends: without its last dot, unless another dot or nothing stands before it. */
export function foldedHostEnd(p: usize, end: usize, rules: u32): usize {
  const hasDot = (rules & DROP_HOST_DOT) != 0 && end - p > 1 && load<u8>(end - 1) == 0x2e && load<u8>(end - 2) != 0x2e;
  return hasDot ? end - 1 : end;
}

/** Behind "www.", "www2." and so on, if the host begins so; else p. */
export function afterWww(p: usize, end: usize): usize {
  if (end - p < 5 || load<u16>(p) != 0x7777 || load<u8>(p, 2) != 0x77) return p;
  let q = p + 3;
  while (q < end && isDigit(load<u8>(q))) q++;
  return q + 1 < end && load<u8>(q) == 0x2e ? q + 1 : p;
}

/** Folds the path [p, end), which begins with a slash: its new end. */
export function foldPath(p: usize, end: usize, rules: u32): usize {
  if ((rules & COLLAPSE_SLASHES) != 0) end = collapseSlashes(p, end);
  if ((rules & STRIP_SESSIONS) != 0) {
    for (let before: usize = 0; before != end;) {
      before = end;
      end = withoutPathSession(p, end);
    }
  }
  for (let before: usize = 0; before != end;) {
    before = end;
    if ((rules & DROP_INDEX_FILE) != 0) end = withoutIndexFile(p, end);
    if ((rules & DROP_TRAILING_SLASH) != 0) while (end > p + 1 && load<u8>(end - 1) == SLASH) end--;
  }
  if ((rules & LOWER_CASE) != 0) lowerCase(p, end);
  return end;
}

/** Runs of slashes become one. */
export function collapseSlashes(p: usize, end: usize): usize {
  let out = p;
  let last: u8 = 0;
  for (; p < end; p++) {
    const c = load<u8>(p);
    if (c == SLASH && last == SLASH) continue;
    store<u8>(out++, c);
    last = c;
  }
  return out;
}

/** The end of [p, end) without a last segment such as "index.html". */
function withoutIndexFile(p: usize, end: usize): usize {
  let name = end;
  while (name > p && load<u8>(name - 1) != SLASH) name--;
  if (name == p) return end;
  const type = begins(name, end, "index.") ? name + 6 : begins(name, end, "default.") ? name + 8 : end;
  return type < end && isListed(type, end) ? name : end;
}

function begins(p: usize, end: usize, text: string): bool {
  if (end - p < <usize>text.length) return false;
  for (let i = 0; i < text.length; i++) {
    if (lower(load<u8>(p + i)) != <u32>text.charCodeAt(i)) return false;
  }
  return true;
}

function isListed(p: usize, end: usize): bool {
  const length = <i32>(end - p);
  for (let at = 1; at < INDEX_TYPES.length;) {
    let stop = at;
    while (INDEX_TYPES.charCodeAt(stop) != 0x20) stop++;
    let i = 0;
    if (stop - at == length) while (i < length && lower(load<u8>(p + i)) == <u32>INDEX_TYPES.charCodeAt(at + i)) i++;
    if (stop - at == length && i == length) return true;
    at = stop + 1;
  }
  return false;
}
