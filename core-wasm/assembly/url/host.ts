/**
 * The host parser (URL Standard 3.5): domains, IPv4, IPv6, opaque hosts.
 * Invariant: at most 3 bytes are written for each byte read, and HOST_ROOM more.
 */

import { encodeInto, FORBIDDEN_DOMAIN, FORBIDDEN_HOST, HOST_MARK, hexValue, inSet, lower, SET_C0 } from "./bytes";
import { E_HOST_CODE_POINT, E_HOST_MISSING, E_IPV6, E_NO_ROOM } from "./error";
import { domainToAscii } from "../idna/to_ascii";
import { endsInNumber, ipv4Into } from "./ipv4";
import { ipv6Into } from "./ipv6";
import { reserve, URL_HOST } from "../memory/buffers";

/** Room that a host may need beyond three bytes for each byte of input. */
export const HOST_ROOM: usize = 4096;

/** Writes the host that [p, end) spells at `out`: its length, or an error. */
export function hostInto(p: usize, end: usize, out: usize, special: bool): i32 {
  if (p < end && load<u8>(p) == 0x5b) {
    return load<u8>(end - 1) == 0x5d && end - p > 1 ? ipv6Into(p + 1, end - 1, out) : E_IPV6;
  }
  return special ? domainInto(p, end, out) : opaqueInto(p, end, out);
}

function opaqueInto(p: usize, end: usize, out: usize): i32 {
  for (let q = p; q < end; q++) if (inSet(load<u8>(q), FORBIDDEN_HOST)) return E_HOST_CODE_POINT;
  return <i32>(encodeInto(p, end, out, SET_C0) - out);
}

function domainInto(p: usize, end: usize, out: usize): i32 {
  let o = out;
  let isForbidden = false;
  for (let q = p; q < end; q++) {
    const c: u32 = load<u8>(q);
    store<u8>(o++, <u8>lower(c));
    if (!inSet(c, HOST_MARK)) continue;
    if (c >= 0x80 || c == 0x25) return decodedDomainInto(p, end, out);
    // Not yet a failure: "<" may be the first half of a character that is composed.
    isForbidden = true;
  }
  return isForbidden ? E_HOST_CODE_POINT : finishDomain(out, o);
}

/** Percent-decoding comes before the mapping, and what it brings to light is checked after it. */
function decodedDomainInto(p: usize, end: usize, out: usize): i32 {
  const decoded = reserve(URL_HOST, end - p + 1);
  if (decoded == 0) return E_NO_ROOM;
  let d = decoded;
  let beyondAscii = false;
  for (; p < end; p++) {
    let c: u32 = load<u8>(p);
    if (c == 0x25 && end - p > 2) {
      const high = hexValue(load<u8>(p, 1));
      const low = hexValue(load<u8>(p, 2));
      if (high < 16 && low < 16) {
        c = (high << 4) | low;
        p += 2;
      }
    }
    beyondAscii = beyondAscii || c >= 0x80;
    store<u8>(d++, <u8>c);
  }
  let length = <i32>(d - decoded);
  if (beyondAscii) {
    length = domainToAscii(decoded, d, out, HOST_ROOM);
    if (length < 0) return length;
  } else {
    for (let i = 0; i < length; i++) store<u8>(out + i, <u8>lower(load<u8>(decoded + i)));
  }
  for (let i = 0; i < length; i++) if (inSet(load<u8>(out + i), FORBIDDEN_DOMAIN)) return E_HOST_CODE_POINT;
  return finishDomain(out, out + length);
}

function finishDomain(start: usize, end: usize): i32 {
  if (start == end) return E_HOST_MISSING;
  return endsInNumber(start, end) ? ipv4Into(start, end, start) : <i32>(end - start);
}
