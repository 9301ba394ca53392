/**
 * SURTs as CDXJ indexes use them: `com,example)/path?query`, without scheme and "www.", all in lower case, no slash at
 * the path's end. Read by what webarchive-commons and the surt package agree on; IP addresses aren't reversed.
 * Invariant: made from the URL that was parsed last, which is left as it is.
 */

import { escapeOnce, resolveDots, unescapeAll } from "./archive_escapes";
import { lower, lowerCase } from "./bytes";
import { E_NO_ROOM } from "./error";
import { afterWww } from "./folding";
import { endsInNumber } from "./ipv4";
import { url } from "./parts";
import { SURT_QUERY_RULES } from "./profile";
import { queryInto } from "./query";
import { withoutPathSession } from "./sessions";
import { State } from "./state";
import { reserve, URL_SURT } from "../memory/buffers";

let surt: usize = 0;

export function surtPtr(): usize {
  return surt;
}

/** Makes the SURT of the URL that was parsed last: its length, or an error. */
export function makeSurt(): i32 {
  const href = State.start;
  const bytes: usize = url.queryEnd;
  // The SURT may take three bytes for each; behind it path or query without escapes, and the query with them again.
  surt = reserve(URL_SURT, bytes * 7 + 64);
  if (surt == 0) return E_NO_ROOM;
  const spare = surt + bytes * 3 + 32;
  let o = hostLabels(href + url.hostStart, href + url.hostEnd, surt);
  o = lowered(href + url.hostEnd, href + url.authorityEnd, o);
  store<u8>(o++, 0x29);
  o = pathInto(href + url.pathStart, href + url.pathEnd, spare, o);
  if (url.queryEnd <= url.pathEnd + 1) return <i32>(o - surt);
  store<u8>(o, 0x3f);
  const plain = unescapeAll(href + url.pathEnd + 1, href + url.queryEnd, spare);
  const escaped = escapeOnce(spare, plain, plain);
  const end = queryInto(plain, escaped, o + 1, SURT_QUERY_RULES);
  if (end == 0) return E_NO_ROOM;
  return <i32>((end > o + 1 ? end : o) - surt);
}

function pathInto(p: usize, end: usize, spare: usize, out: usize): usize {
  let stop = resolveDots(spare, unescapeAll(p, end, spare));
  const path = out;
  out = escapeOnce(spare, stop, out);
  lowerCase(path, out);
  out = withoutPathSession(path, out);
  return out - path > 1 && load<u8>(out - 1) == 0x2f ? out - 1 : out;
}

function lowered(p: usize, end: usize, out: usize): usize {
  while (p < end) store<u8>(out++, <u8>lower(load<u8>(p++)));
  return out;
}

/** Labels from last to first, joined by commas; empty ones go. */
function hostLabels(p: usize, end: usize, out: usize): usize {
  if (load<u8>(p) == 0x5b || endsInNumber(p, end)) return lowered(p, end, out);
  while (p < end && load<u8>(p) == 0x2e) p++;
  while (end > p && load<u8>(end - 1) == 0x2e) end--;
  p = afterWww(p, end);
  const start = out;
  for (let stop = end; stop > p;) {
    let label = stop;
    while (label > p && load<u8>(label - 1) != 0x2e) label--;
    if (label < stop) {
      if (out > start) store<u8>(out++, 0x2c);
      out = lowered(label, stop, out);
    }
    if (label == p) break;
    stop = label - 1;
  }
  return out;
}
