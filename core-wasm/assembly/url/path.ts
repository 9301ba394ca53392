/**
 * Paths, queries and fragments: the end of the URL parser (URL Standard 4.4: path, opaque path, query, fragment state).
 * Invariant: a path is written as "/segment" for each segment, so removing one is cutting the text.
 */

import {
  encodeInto,
  inSet,
  isAlpha,
  PATH_MARK,
  SET_C0,
  SET_FRAGMENT,
  SET_PATH,
  SET_QUERY,
  SET_SPECIAL_QUERY,
  writeEscaped,
} from "./bytes";
import { KIND_FILE, KIND_OTHER, url } from "./parts";
import { offset, peek, put, State } from "./state";

/** "C:" or "C|". */
export function isDriveLetter(p: usize, len: usize): bool {
  return len == 2 && isAlpha(load<u8>(p)) && (load<u8>(p, 1) == 0x3a || load<u8>(p, 1) == 0x7c);
}

/** What [p, end) starts with is a drive letter and nothing more of that segment. */
export function startsWithDriveLetter(p: usize, end: usize): bool {
  if (end - p < 2 || !isDriveLetter(p, 2)) return false;
  if (end - p == 2) return true;
  const c: u32 = load<u8>(p, 2);
  return c == 0x2f || c == 0x5c || c == 0x3f || c == 0x23;
}

/** The path state, entered behind the slash of the first segment. */
export function pathSegments(): void {
  const special = url.kind != KIND_OTHER;
  const end = State.end;
  let p = State.p;
  let out = State.out;
  for (;;) {
    const segment = out;
    let c: u32 = 0;
    store<u8>(out++, 0x2f);
    for (; p < end; p++) {
      c = load<u8>(p);
      if (!inSet(c, PATH_MARK)) {
        store<u8>(out++, <u8>c);
        continue;
      }
      if (c == 0x2f || c == 0x3f || c == 0x23 || (c == 0x5c && special)) break;
      if (inSet(c, SET_PATH)) out = writeEscaped(out, c);
      else store<u8>(out++, <u8>c);
    }
    const more = p < end && c != 0x3f && c != 0x23;
    const dots = dotsIn(segment + 1, out);
    if (dots != 0) {
      out = dots == 2 ? shorten(segment) : segment;
      if (!more) store<u8>(out++, 0x2f);
    } else if (url.kind == KIND_FILE && segment == State.start + url.pathStart && isDriveLetter(segment + 1, out - segment - 1)) {
      store<u8>(out - 1, 0x3a);
    }
    if (!more) break;
    p++;
  }
  State.p = p;
  State.out = out;
}

/** 1 = single-dot, 2 = double-dot segment, dots also spelled %2e (4.1). */
function dotsIn(p: usize, end: usize): i32 {
  const len = end - p;
  if (len == 0 || len > 6) return 0;
  let dots = 0;
  while (p < end) {
    if (load<u8>(p) == 0x2e) p++;
    else if (end - p >= 3 && load<u8>(p) == 0x25 && load<u8>(p, 1) == 0x32 && (load<u8>(p, 2) | 32) == 0x65) p += 3;
    else return 0;
    dots++;
  }
  return dots <= 2 ? dots : 0;
}

/** Where the path that ends at `out` ends without its last segment (4.1 "shorten a URL's path"). */
export function shorten(out: usize): usize {
  const root = State.start + url.pathStart;
  if (out == root) return out;
  let slash = out - 1;
  while (slash > root && load<u8>(slash) != 0x2f) slash--;
  const isDrive = url.kind == KIND_FILE && slash == root && out - slash == 3 && isAlpha(load<u8>(slash, 1)) &&
    load<u8>(slash, 2) == 0x3a;
  return isDrive ? out : slash;
}

export function pathStart(): void {
  url.pathStart = offset();
  const c = peek();
  if (url.kind != KIND_OTHER) {
    if (c == 0x2f || c == 0x5c) State.p++;
    pathSegments();
  } else if (State.p < State.end && c != 0x3f && c != 0x23) {
    if (c == 0x2f) State.p++;
    pathSegments();
  }
}

export function opaquePath(): void {
  url.opaque = 1;
  url.pathStart = offset();
  for (; State.p < State.end; State.p++) {
    const c = peek();
    if (c == 0x3f || c == 0x23) return;
    const next = peek(1);
    if (c == 0x20 && (next == 0x3f || next == 0x23)) State.out = writeEscaped(State.out, c);
    else State.out = encodeInto(State.p, State.p + 1, State.out, SET_C0);
  }
}

/** The path is written: guards it (4.5 step 4), then writes query and fragment. */
export function finish(): void {
  guardPath();
  url.pathEnd = offset();
  if (peek() == 0x3f) {
    put(0x3f);
    const from = State.p + 1;
    let to = from;
    while (to < State.end && load<u8>(to) != 0x23) to++;
    State.out = encodeInto(from, to, State.out, url.kind != KIND_OTHER ? SET_SPECIAL_QUERY : SET_QUERY);
    State.p = to;
  }
  finishFragment();
}

/** As `finish` where the query is written already. */
export function finishFragment(): void {
  url.queryEnd = offset();
  if (peek() == 0x23) {
    put(0x23);
    State.out = encodeInto(State.p + 1, State.end, State.out, SET_FRAGMENT);
    State.p = State.end;
  }
  url.end = offset();
}

/** Without a host, a path that begins with two slashes would be read as one: "/." keeps them apart. */
export function guardPath(): void {
  if (url.hasHost || url.opaque) return;
  const path = State.start + url.pathStart;
  if (State.out - path < 2 || load<u16>(path) != 0x2f2f) return;
  memory.copy(path + 2, path, State.out - path);
  store<u16>(path, 0x2e2f);
  url.pathStart += 2;
  State.out += 2;
}
