/**
 * The authority: userinfo, host, port (URL Standard 4.4: authority, host, port state), and file hosts.
 * Invariant: entered behind the slashes; leaves State at the first byte of the path.
 */

import { AUTHORITY_MARK, encodeInto, inSet, isDigit, SET_USERINFO, writeDecimal } from "./bytes";
import { E_HOST_MISSING, E_PORT } from "./error";
import { hostInto } from "./host";
import { defaultPort, KIND_OTHER, url } from "./parts";
import { isDriveLetter, pathSegments, pathStart } from "./path";
import { offset, put, State } from "./state";

/** Writes "//" and the authority: 0, or an error. */
export function authority(): i32 {
  const special = url.kind != KIND_OTHER;
  const stop = authorityStop(special);
  url.hasHost = 1;
  put(0x2f);
  put(0x2f);
  const at = Authority.at;
  if (at != 0) {
    userinfo(State.p, at);
    State.p = at + 1;
    if (State.p == stop) return E_HOST_MISSING;
  }
  const colon = Authority.hasColon ? portColon(State.p, stop) : stop;
  if (State.p == colon && (special || colon < stop)) return E_HOST_MISSING;
  url.hostStart = offset();
  const length = hostInto(State.p, colon, State.out, special);
  if (length < 0) return length;
  State.out += length;
  url.hostEnd = offset();
  State.p = stop;
  const failure = colon < stop ? port(colon + 1, stop) : 0;
  url.authorityEnd = offset();
  return failure;
}

/** What authorityStop saw on its way. */
class Authority {
  /** The last "@", 0 = none. */
  static at: usize = 0;
  static hasColon: bool = false;
}

/** The end of the authority: a slash, "?", "#" (and a backslash where the scheme is special), or the input's end. */
function authorityStop(special: bool): usize {
  const end = State.end;
  let q = State.p;
  let at: usize = 0;
  let hasColon = false;
  for (; q < end; q++) {
    const c: u32 = load<u8>(q);
    if (!inSet(c, AUTHORITY_MARK)) continue;
    if (c == 0x40) at = q;
    else if (c == 0x3a) hasColon = true;
    else if (c != 0x5c || special) break;
  }
  Authority.at = at;
  Authority.hasColon = hasColon;
  return q;
}

function portColon(p: usize, stop: usize): usize {
  let inBrackets = false;
  for (; p < stop; p++) {
    const c: u32 = load<u8>(p);
    if (c == 0x3a && !inBrackets) break;
    if (c == 0x5b) inBrackets = true;
    if (c == 0x5d) inBrackets = false;
  }
  return p;
}

function userinfo(p: usize, at: usize): void {
  let colon = p;
  while (colon < at && load<u8>(colon) != 0x3a) colon++;
  const hasPassword = at - colon > 1;
  if (colon == p && !hasPassword) return;
  url.hasUserinfo = 1;
  State.out = encodeInto(p, colon, State.out, SET_USERINFO);
  if (hasPassword) {
    put(0x3a);
    State.out = encodeInto(colon + 1, at, State.out, SET_USERINFO);
  }
  put(0x40);
}

function port(p: usize, stop: usize): i32 {
  if (p == stop) return 0;
  let value: u32 = 0;
  for (; p < stop; p++) {
    const c: u32 = load<u8>(p);
    if (!isDigit(c)) return E_PORT;
    value = value * 10 + c - 48;
    if (value > 65535) return E_PORT;
  }
  // Port 0 is a port: no scheme has it for its default, and 0 from defaultPort means none.
  if (value != defaultPort(url.kind) || url.kind == KIND_OTHER) {
    put(0x3a);
    State.out = writeDecimal(State.out, value);
  }
  return 0;
}

/** File host state, behind the slashes, and the path: 0, or an error. */
export function fileHost(): i32 {
  url.hasHost = 1;
  put(0x2f);
  put(0x2f);
  url.hostStart = offset();
  const stop = authorityStop(true);
  if (isDriveLetter(State.p, stop - State.p)) {
    noHost();
    url.pathStart = offset();
    pathSegments();
    return 0;
  }
  if (stop > State.p) {
    const length = hostInto(State.p, stop, State.out, true);
    if (length < 0) return length;
    if (!isLocalhost(State.out, length)) State.out += length;
  }
  State.p = stop;
  noHost();
  pathStart();
  return 0;
}

/** The host and so the authority end here. */
export function noHost(): void {
  url.hostEnd = offset();
  url.authorityEnd = offset();
}

function isLocalhost(p: usize, length: i32): bool {
  return length == 9 && load<u64>(p) == 0x736f686c61636f6c && load<u8>(p, 8) == 0x74;
}
