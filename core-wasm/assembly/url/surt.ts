/**
 * SURTs as CDXJ indexes use them: `com,example)/path?query`, without scheme and "www.", all in lower case, no slash at
 * the path's end. Read by what webarchive-commons and the surt package agree on; IP addresses aren't reversed.
 * Invariant: made from the SURT_RULES form of the URL that was parsed last.
 */

import { isDigit, lower, lowerCase } from "./bytes";
import { E_NO_ROOM } from "./error";
import { endsInNumber } from "./ipv4";
import { Key, normalize } from "./normalize";
import { url } from "./parts";
import { SURT_RULES } from "./profile";
import { withoutPathSession } from "./sessions";
import { reserve, URL_SURT } from "../memory/buffers";

let surt: usize = 0;

export function surtPtr(): usize {
  return surt;
}

/** Makes the SURT of the URL that was parsed last: its length, or an error. Overwrites the key. */
export function makeSurt(): i32 {
  const length = normalize(SURT_RULES);
  if (length < 0) return length;
  surt = reserve(URL_SURT, length + 16);
  if (surt == 0) return E_NO_ROOM;
  let o = hostLabels(Key.start + url.hostStart, Key.start + url.hostEnd, surt);
  o = lowered(Key.start + url.hostEnd, Key.authorityEnd, o);
  store<u8>(o++, 0x29);
  lowerCase(Key.authorityEnd, Key.pathEnd);
  let pathEnd = withoutPathSession(Key.authorityEnd, Key.pathEnd);
  if (pathEnd - Key.authorityEnd > 1 && load<u8>(pathEnd - 1) == 0x2f) pathEnd--;
  o = lowered(Key.authorityEnd, pathEnd, o);
  o = lowered(Key.pathEnd, Key.end, o);
  return <i32>(o - surt);
}

function lowered(p: usize, end: usize, out: usize): usize {
  while (p < end) store<u8>(out++, <u8>lower(load<u8>(p++)));
  return out;
}

/** Labels from last to first, joined by commas. */
function hostLabels(p: usize, end: usize, out: usize): usize {
  if (load<u8>(p) == 0x5b || endsInNumber(p, end)) return lowered(p, end, out);
  while (end > p + 1 && load<u8>(end - 1) == 0x2e) end--;
  p = afterWww(p, end);
  let label = end;
  for (let stop = end;; stop = label - 1) {
    label = stop;
    while (label > p && load<u8>(label - 1) != 0x2e) label--;
    out = lowered(label, stop, out);
    if (label == p) break;
    store<u8>(out++, 0x2c);
  }
  return out;
}

/** Behind "www.", "www2." and so on, if the host begins so. */
function afterWww(p: usize, end: usize): usize {
  if (end - p < 5 || load<u16>(p) != 0x7777 || load<u8>(p, 2) != 0x77) return p;
  let q = p + 3;
  while (q < end && isDigit(load<u8>(q))) q++;
  return q + 1 < end && load<u8>(q) == 0x2e ? q + 1 : p;
}
