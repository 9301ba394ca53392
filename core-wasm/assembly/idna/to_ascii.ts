/**
 * Domain to ASCII for domains with characters beyond ASCII (URL Standard 3.3; UTS 46 ToASCII with CheckHyphens,
 * UseSTD3ASCIIRules, Transitional_Processing and VerifyDnsLength false, CheckBidi and CheckJoiners true).
 * Invariant: domains of more than MAX_CODE_POINTS are refused: DNS holds 253 bytes, and nothing here is quadratic beyond.
 */

import { reserve, URL_LABEL, URL_LABEL_2 } from "../memory/buffers";
import { E_HOST_NO_DNS_NAME, E_IDNA, E_NO_ROOM } from "../url/error";
import { mapInto } from "./lookup";
import { GROWTH, nfcInto } from "./nfc";
import { punycodeDecode, punycodeEncode } from "./punycode";
import { hasPunycodePrefix, isLabelValid, isRightToLeft, obeysBidi } from "./validity";

const MAX_CODE_POINTS: usize = 2048;
/** Most code points that one maps to. */
const MAPPED: usize = 18;
const PREFIX: usize = 4;

/** Writes the ASCII form of the UTF-8 domain [p, end) at `out`, at most `room` bytes: its length, or an error. */
export function domainToAscii(p: usize, end: usize, out: usize, room: usize): i32 {
  if (end - p > MAX_CODE_POINTS * 3) return E_HOST_NO_DNS_NAME;
  const mapped = reserve(URL_LABEL, (MAX_CODE_POINTS + MAPPED) * 4);
  const work = reserve(URL_LABEL_2, MAX_CODE_POINTS * 4 * (GROWTH + 2 + GROWTH));
  if (mapped == 0 || work == 0) return E_NO_ROOM;
  const count = mapAll(p, end, mapped);
  if (count < 0) return count;
  const length = nfcInto(mapped, count, work);
  if (length > MAX_CODE_POINTS) return E_HOST_NO_DNS_NAME;
  memory.copy(mapped, work, length << 2);
  const domain = work + MAX_CODE_POINTS * 4 * GROWTH;
  const decoded = decodeLabels(mapped, length, domain, work);
  return decoded < 0 ? decoded : encodeLabels(domain, decoded, out, room);
}

/** UTS 46 section 4, step 1: how many code points, or an error. */
function mapAll(p: usize, end: usize, out: usize): i32 {
  let count: usize = 0;
  while (p < end) {
    const bytes = sequenceLength(p, end);
    if (bytes == 0) return E_IDNA;
    const written = mapInto(codePoint(p, bytes), out + (count << 2));
    if (written < 0) return E_IDNA;
    count += written;
    if (count > MAX_CODE_POINTS) return E_HOST_NO_DNS_NAME;
    p += bytes;
  }
  return <i32>count;
}

/** Bytes of the well-formed UTF-8 sequence at `p`; 0 = ill-formed, which decodes to U+FFFD and is disallowed. */
function sequenceLength(p: usize, end: usize): usize {
  const lead: u32 = load<u8>(p);
  if (lead < 0x80) return 1;
  const length: usize = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || end - p < length) return 0;
  const second: u32 = load<u8>(p, 1);
  const low: u32 = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const high: u32 = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let i: usize = 2; i < length; i++) if ((load<u8>(p + i) & 0xc0) != 0x80) return 0;
  return length;
}

function codePoint(p: usize, bytes: usize): u32 {
  const lead: u32 = load<u8>(p);
  if (bytes == 1) return lead;
  let cp = lead & (0xff >> <u32>(bytes + 1));
  for (let i: usize = 1; i < bytes; i++) cp = (cp << 6) | (load<u8>(p + i) & 0x3f);
  return cp;
}

/** The end of the label that starts at index `from`. */
function labelEnd(cps: usize, from: usize, length: usize): usize {
  while (from < length && load<u32>(cps + (from << 2)) != 0x2e) from++;
  return from;
}

/** Step 4: labels in Punycode are decoded, all are checked; they are joined by dots at `out`. */
function decodeLabels(cps: usize, length: usize, out: usize, work: usize): i32 {
  let o: usize = 0;
  for (let from: usize = 0; from <= length;) {
    const to = labelEnd(cps, from, length);
    const label = cps + (from << 2);
    const target = out + (o << 2);
    let count = <i32>(to - from);
    if (hasPunycodePrefix(label, count)) {
      count = punycodeDecode(label + PREFIX * 4, count - PREFIX, target, MAX_CODE_POINTS);
      if (count <= 0 || isAscii(target, count) || !isNfc(target, count, work)) return E_IDNA;
    } else memory.copy(target, label, count << 2);
    if (!isLabelValid(target, count)) return E_IDNA;
    o += count;
    if (to < length) store<u32>(out + (o++ << 2), 0x2e);
    if (o > MAX_CODE_POINTS) return E_HOST_NO_DNS_NAME;
    from = to + 1;
  }
  return <i32>o;
}

function isAscii(cps: usize, count: usize): bool {
  for (let i: usize = 0; i < count; i++) if (load<u32>(cps + (i << 2)) >= 0x80) return false;
  return true;
}

function isNfc(cps: usize, count: usize, work: usize): bool {
  return nfcInto(cps, count, work) == count && memory.compare(work, cps, count << 2) == 0;
}

/** CheckBidi over the whole domain, then ToASCII of each label. */
function encodeLabels(domain: usize, length: usize, out: usize, room: usize): i32 {
  const isBidi = isRightToLeft(domain, length);
  let o: usize = 0;
  for (let from: usize = 0; from <= length;) {
    const to = labelEnd(domain, from, length);
    const label = domain + (from << 2);
    if (isBidi && !obeysBidi(label, to - from)) return E_IDNA;
    const written = labelInto(label, to - from, out + o, room - o);
    if (written < 0) return E_HOST_NO_DNS_NAME;
    o += written;
    if (to < length) {
      if (o >= room) return E_HOST_NO_DNS_NAME;
      store<u8>(out + o++, 0x2e);
    }
    from = to + 1;
  }
  return <i32>o;
}

function labelInto(label: usize, count: usize, out: usize, room: usize): i32 {
  if (room < PREFIX + count) return -1;
  if (isAscii(label, count)) {
    for (let i: usize = 0; i < count; i++) store<u8>(out + i, <u8>load<u32>(label + (i << 2)));
    return <i32>count;
  }
  store<u32>(out, 0x2d2d6e78);
  const length = punycodeEncode(label, count, out + PREFIX, room - PREFIX);
  return length < 0 ? length : length + <i32>PREFIX;
}
