/**
 * Copies, comparisons and searches of short byte runs, sixteen at a time: for a URL's length the engine's bulk
 * operations cost more than the work. Invariant: nothing outside the given bytes is read or written.
 */

/** Copies `length` bytes between areas that don't overlap; the end of the target is returned. */
export function copyShort(to: usize, from: usize, length: usize): usize {
  const end = to + length;
  if (length >= 16) {
    const last = length - 16;
    for (let done: usize = 0; done < last; done += 16) v128.store(to + done, v128.load(from + done));
    v128.store(to + last, v128.load(from + last));
  } else if (length >= 8) {
    // Two that overlap: both are read before the first is written.
    const head = load<u64>(from);
    const tail = load<u64>(from + length - 8);
    store<u64>(to, head);
    store<u64>(end - 8, tail);
  } else {
    while (to < end) store<u8>(to++, load<u8>(from++));
  }
  return end;
}

/** The first `byte` in [p, end), or `end`. */
export function findByte(p: usize, end: usize, byte: u8): usize {
  const wanted = i8x16.splat(<i8>byte);
  while (p + 16 <= end) {
    const found = i8x16.bitmask(i8x16.eq(v128.load(p), wanted));
    if (found != 0) return p + <usize>ctz<i32>(found);
    p += 16;
  }
  while (p < end && load<u8>(p) != byte) p++;
  return p;
}

/** The first tab, line feed or carriage return in [p, end), or `end`. */
export function findNewline(p: usize, end: usize): usize {
  const tab = i8x16.splat(9);
  const lineFeed = i8x16.splat(10);
  const carriageReturn = i8x16.splat(13);
  while (p + 16 <= end) {
    const bytes = v128.load(p);
    const hits = v128.or(
      v128.or(i8x16.eq(bytes, tab), i8x16.eq(bytes, lineFeed)),
      i8x16.eq(bytes, carriageReturn),
    );
    const found = i8x16.bitmask(hits);
    if (found != 0) return p + <usize>ctz<i32>(found);
    p += 16;
  }
  while (p < end && load<u8>(p) != 9 && load<u8>(p) != 10 && load<u8>(p) != 13) p++;
  return p;
}

export function sameBytes(a: usize, b: usize, length: usize): bool {
  let done: usize = 0;
  for (; done + 16 <= length; done += 16) {
    if (v128.any_true(v128.xor(v128.load(a + done), v128.load(b + done)))) return false;
  }
  for (; done < length; done++) if (load<u8>(a + done) != load<u8>(b + done)) return false;
  return true;
}
