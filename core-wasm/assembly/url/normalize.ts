/**
 * The key: the URL that was parsed last, normalised by rules (DESIGN section 4; edge cases E01 to E16).
 * Invariant: N(N(u)) = N(u); the URL itself is left as it is.
 */

import { E_NO_ROOM, E_NOT_HTTP, E_USERINFO } from "./error";
import { normalizeEscapes } from "./escapes";
import { KIND_HTTP, KIND_HTTPS, url } from "./parts";
import { DROP_EMPTY_QUERY, DROP_FRAGMENT, REFUSE_USERINFO } from "./profile";
import { queryInto } from "./query";
import { State } from "./state";
import { reserve, URL_KEY } from "../memory/buffers";

/** Offsets of the key's path and its end, as `normalize` left them. */
export class Key {
  static start: usize = 0;
  static authorityEnd: usize = 0;
  static pathEnd: usize = 0;
  static end: usize = 0;
}

/** Makes the key of the URL in `State` and `url`: its length, or an error. */
export function normalize(rules: u32): i32 {
  if (url.kind != KIND_HTTP && url.kind != KIND_HTTPS) return E_NOT_HTTP;
  if (url.hasUserinfo && (rules & REFUSE_USERINFO) != 0) return E_USERINFO;
  const href = State.start;
  const out = reserve(URL_KEY, <usize>url.end * 3 + 16);
  if (out == 0) return E_NO_ROOM;
  Key.start = out;
  memory.copy(out, href, url.authorityEnd);
  Key.authorityEnd = out + url.authorityEnd;
  let o = normalizeEscapes(href + url.pathStart, href + url.pathEnd, Key.authorityEnd, rules);
  Key.pathEnd = o;
  if (url.queryEnd > url.pathEnd) {
    store<u8>(o, 0x3f);
    const queryEnd = queryInto(href + url.pathEnd + 1, href + url.queryEnd, o + 1, rules);
    if (queryEnd == 0) return E_NO_ROOM;
    if (queryEnd > o + 1 || (rules & DROP_EMPTY_QUERY) == 0) o = queryEnd;
  }
  if ((rules & DROP_FRAGMENT) == 0) {
    const bytes: usize = url.end - url.queryEnd;
    memory.copy(o, href + url.queryEnd, bytes);
    o += bytes;
  }
  Key.end = o;
  return <i32>(o - out);
}
