/**
 * Punycode (RFC 3492) between code points (u32 each) and bytes.
 * Invariant: bounded by the room that is given; overflow is an error, not a wrap (RFC 3492 6.4).
 */

const BASE: u32 = 36;
const T_MIN: u32 = 1;
const T_MAX: u32 = 26;
const INITIAL_N: u32 = 128;
const INITIAL_BIAS: u32 = 72;
const MAX_CODE_POINT: u32 = 0x10ffff;

function adapt(delta: u32, points: u32, isFirst: bool): u32 {
  delta = isFirst ? delta / 700 : delta >> 1;
  delta += delta / points;
  let k: u32 = 0;
  for (; delta > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) delta /= BASE - T_MIN;
  return k + (BASE - T_MIN + 1) * delta / (delta + 38);
}

// @ts-ignore: decorator
@inline
function threshold(k: u32, bias: u32): u32 {
  return k <= bias ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias;
}

/** 0 to 35, or 255. */
function digitOf(c: u32): u32 {
  if (c - 0x30 < 10) return c - 0x30 + 26;
  const letter = (c | 32) - 0x61;
  return c < 0x80 && letter < 26 ? letter : 255;
}

/** Decodes code points (all of them must be ASCII) to at most `room` code points at `out`: how many, or -1. */
export function punycodeDecode(cps: usize, count: usize, out: usize, room: usize): i32 {
  let p: usize = 0;
  let length: usize = 0;
  for (let i = count; i > 0; i--) {
    if (load<u32>(cps + ((i - 1) << 2)) != 0x2d) continue;
    p = i;
    length = i - 1;
    break;
  }
  if (length > room) return -1;
  for (let i: usize = 0; i < length; i++) if (load<u32>(cps + (i << 2)) >= 0x80) return -1;
  memory.copy(out, cps, length << 2);
  let n: u64 = INITIAL_N;
  let position: u64 = 0;
  let bias = INITIAL_BIAS;
  while (p < count) {
    const before = position;
    let weight: u64 = 1;
    for (let k = BASE;; k += BASE) {
      if (p == count) return -1;
      const digit = digitOf(load<u32>(cps + (p++ << 2)));
      if (digit >= BASE) return -1;
      position += digit * weight;
      if (position > u32.MAX_VALUE) return -1;
      const t = threshold(k, bias);
      if (digit < t) break;
      weight *= BASE - t;
      if (weight > u32.MAX_VALUE) return -1;
    }
    const points = <u32>length + 1;
    bias = adapt(<u32>(position - before), points, before == 0);
    n += position / points;
    position %= points;
    if (n > MAX_CODE_POINT || length == room) return -1;
    const at = out + (<usize>position << 2);
    memory.copy(at + 4, at, (length - <usize>position) << 2);
    store<u32>(at, <u32>n);
    length++;
    position++;
  }
  return <i32>length;
}

/** Encodes to bytes at `out`, at most `room`: how many, or -1. */
export function punycodeEncode(cps: usize, count: usize, out: usize, room: usize): i32 {
  let o: usize = 0;
  for (let i: usize = 0; i < count; i++) {
    const cp = load<u32>(cps + (i << 2));
    if (cp >= 0x80) continue;
    if (o >= room) return -1;
    store<u8>(out + o++, <u8>cp);
  }
  const basic = <u32>o;
  let handled = basic;
  if (basic > 0) {
    if (o >= room) return -1;
    store<u8>(out + o++, 0x2d);
  }
  let n = INITIAL_N;
  let delta: u64 = 0;
  let bias = INITIAL_BIAS;
  while (handled < <u32>count) {
    const next = smallestFrom(cps, count, n);
    delta += <u64>(next - n) * (handled + 1);
    if (delta > u32.MAX_VALUE) return -1;
    n = next;
    for (let i: usize = 0; i < count; i++) {
      const cp = load<u32>(cps + (i << 2));
      if (cp < n) delta++;
      if (cp != n) continue;
      o = variableLength(<u32>delta, bias, out, o, room);
      if (o == 0) return -1;
      bias = adapt(<u32>delta, handled + 1, handled == basic);
      delta = 0;
      handled++;
    }
    delta++;
    n++;
  }
  return <i32>o;
}

function smallestFrom(cps: usize, count: usize, n: u32): u32 {
  let least = u32.MAX_VALUE;
  for (let i: usize = 0; i < count; i++) {
    const cp = load<u32>(cps + (i << 2));
    if (cp >= n && cp < least) least = cp;
  }
  return least;
}

/** Writes one generalised variable-length integer: the new length, 0 = no room. */
function variableLength(value: u32, bias: u32, out: usize, o: usize, room: usize): usize {
  for (let k = BASE;; k += BASE) {
    const t = threshold(k, bias);
    const isLast = value < t;
    const digit = isLast ? value : t + (value - t) % (BASE - t);
    if (o >= room) {
      o = 0;
      break;
    }
    store<u8>(out + o++, <u8>(digit < 26 ? digit + 0x61 : digit - 26 + 0x30));
    if (isLast) break;
    value = (value - t) / (BASE - t);
  }
  return o;
}
