/**
 * The key: the URL that was parsed last, normalised by rules (DESIGN section 4; edge cases E01 to E16).
 * Invariant: N(N(u)) = N(u); the URL itself is left as it is.
 */

import { E_NO_ROOM, E_NOT_HTTP, E_USERINFO } from "./error";
import { hasNormalEscapes, normalizeEscapes } from "./escapes";
import { KIND_HTTP, KIND_HTTPS, url } from "./parts";
import { foldedHostEnd, foldedHostStart, foldPath } from "./folding";
import { DROP_EMPTY_QUERY, DROP_FRAGMENT, ON_HOST, ON_PATH, REFUSE_USERINFO } from "./profile";
import { forgetQuery, isNormalQuery, queryInto } from "./query";
import { PATH_ESCAPES, State } from "./state";
import { reserve, URL_KEY } from "../memory/buffers";
import { copyShort } from "../memory/bytes";

/** Where the key lies, as `normalize` left it. */
export class Key {
  static start: usize = 0;
  static end: usize = 0;
}

/** Makes the key of the URL in `State` and `url`: its length, or an error. */
export function normalize(rules: u32): i32 {
  if (url.kind != KIND_HTTP && url.kind != KIND_HTTPS) return E_NOT_HTTP;
  if (url.hasUserinfo && (rules & REFUSE_USERINFO) != 0) return E_USERINFO;
  const href = State.start;
  if (isNormal(rules)) {
    Key.start = href;
    Key.end = href + url.queryEnd;
    return <i32>url.queryEnd;
  }
  const out = reserve(URL_KEY, <usize>url.end * 3 + 16);
  if (out == 0) {
    forgetQuery();
    return E_NO_ROOM;
  }
  Key.start = out;
  let o = isPlainUpToQuery(rules) ? copyShort(out, href, url.pathEnd) : upToQueryInto(out, rules);
  if (url.queryEnd > url.pathEnd) {
    store<u8>(o, 0x3f);
    const queryEnd = queryInto(href + url.pathEnd + 1, href + url.queryEnd, o + 1, rules);
    if (queryEnd == 0) return E_NO_ROOM;
    if (queryEnd > o + 1 || (rules & DROP_EMPTY_QUERY) == 0) o = queryEnd;
  }
  if ((rules & DROP_FRAGMENT) == 0) {
    const bytes: usize = url.end - url.queryEnd;
    o = copyShort(o, href + url.queryEnd, bytes);
  }
  Key.end = o;
  return <i32>(o - out);
}

/** Writes everything before the query: the end. */
function upToQueryInto(out: usize, rules: u32): usize {
  const path = authorityInto(out, rules);
  const end = normalizeEscapes(State.start + url.pathStart, State.start + url.pathEnd, path, rules);
  return (rules & ON_PATH) != 0 ? foldPath(path, end, rules) : end;
}

/** Writes scheme, userinfo, host and port: the end. */
function authorityInto(out: usize, rules: u32): usize {
  const href = State.start;
  if ((rules & ON_HOST) == 0) return copyShort(out, href, url.authorityEnd);
  const end = foldedHostEnd(href + url.hostStart, href + url.hostEnd, rules);
  const start = foldedHostStart(href + url.hostStart, end, rules);
  out = copyShort(out, href, url.hostStart);
  out = copyShort(out, start, end - start);
  return copyShort(out, href + url.hostEnd, url.authorityEnd - url.hostEnd);
}

/** Nothing that a rule could change: escapes as they should be, a query in order or none, and the fragment goes. Most links of most pages. */
function isNormal(rules: u32): bool {
  if ((rules & DROP_FRAGMENT) == 0 || !isPlainUpToQuery(rules)) return false;
  const end = State.start + url.pathEnd;
  return url.queryEnd == url.pathEnd || isNormalQuery(end + 1, State.start + url.queryEnd, rules);
}

/** Before the query nothing that a rule could change. */
function isPlainUpToQuery(rules: u32): bool {
  if ((rules & (ON_HOST | ON_PATH)) != 0 || url.pathStart != url.authorityEnd) return false;
  if ((State.escapes & PATH_ESCAPES) == 0) return true;
  return hasNormalEscapes(State.start + url.pathStart, State.start + url.pathEnd);
}
