/**
 * Session identifiers that SURTs leave out, as web archives do: query parameters of Java, PHP, ASP and ColdFusion, and
 * the path segment of cookieless ASP.NET. Invariant: names are compared without regard to ASCII case; keys keep their sessions
 * unless the profile says otherwise.
 */

import { isAlpha, isDigit, lower } from "./bytes";

const SESSION_BYTES: usize = 32;
const ASP_NAME: string = "aspsessionid";
const ASP_NAME_BYTES: usize = 20;
const ASP_VALUE_BYTES: usize = 24;
const ASPX_BYTES: usize = 24;

function startsWith(p: usize, end: usize, text: string): bool {
  if (end - p < <usize>text.length) return false;
  for (let i = 0; i < text.length; i++) {
    if (lower(load<u8>(p + i)) != <u32>load<u16>(changetype<usize>(text) + (<usize>i << 1))) return false;
  }
  return true;
}

export function isNamed(p: usize, end: usize, name: string): bool {
  return end - p == <usize>name.length && startsWith(p, end, name);
}

function isRun(p: usize, end: usize, length: usize, digits: bool): bool {
  if (end - p != length) return false;
  for (; p < end; p++) if (!isAlpha(load<u8>(p)) && !(digits && isDigit(load<u8>(p)))) return false;
  return true;
}

/** The parameter [p, end), its name up to `nameEnd`, is a session identifier by itself. */
export function isSession(p: usize, nameEnd: usize, end: usize): bool {
  if (nameEnd == end) return false;
  const value = nameEnd + 1;
  if (isRun(value, end, SESSION_BYTES, true)) {
    return isNamed(p, nameEnd, "jsessionid") || isNamed(p, nameEnd, "phpsessid") || isNamed(p, nameEnd, "sid");
  }
  return nameEnd - p == ASP_NAME_BYTES && startsWith(p, nameEnd, ASP_NAME) &&
    isRun(p, nameEnd, ASP_NAME_BYTES, false) && isRun(value, end, ASP_VALUE_BYTES, false);
}

/** Takes the last "(...)/" session segment before an .aspx file out of a path, in place: the path's new end. */
export function withoutPathSession(p: usize, end: usize): usize {
  for (let at = end; at > p + 1; at--) {
    if (load<u8>(at - 1) != 0x28 || load<u8>(at - 2) != 0x2f) continue;
    const after = afterSession(at, end);
    if (after == 0 || !hasAspx(after, end)) continue;
    memory.copy(at - 1, after, end - after);
    return end - (after - (at - 1));
  }
  return end;
}

/** Behind `<24>)/` or `(<letter>(<24>))+)/`; 0 = it isn't that. */
function afterSession(p: usize, end: usize): usize {
  let q = p;
  if (end - q > ASPX_BYTES && isRun(q, q + ASPX_BYTES, ASPX_BYTES, true)) q += ASPX_BYTES;
  else {
    while (end - q > ASPX_BYTES + 3 && isAlpha(load<u8>(q)) && load<u8>(q, 1) == 0x28) {
      const stop = q + 2 + ASPX_BYTES;
      if (!isRun(q + 2, stop, ASPX_BYTES, true) || load<u8>(stop) != 0x29) return 0;
      q = stop + 1;
    }
    if (q == p) return 0;
  }
  return end - q >= 2 && load<u8>(q) == 0x29 && load<u8>(q, 1) == 0x2f ? q + 2 : 0;
}

function hasAspx(p: usize, end: usize): bool {
  for (let q = p + 1; q < end; q++) if (load<u8>(q) == 0x2e && startsWith(q, end, ".aspx")) return true;
  return false;
}
