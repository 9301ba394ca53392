/**
 * Copies, comparisons and searches of short byte runs, sixteen at a time: for a URL's length the engine's bulk
 * operations cost more than the work. Invariant: nothing outside the given bytes is written; up to SLACK bytes behind them
 * are read (memory/buffers.ts), and no answer depends on them.
 */

/** Bits for the bytes of a block at p that lie before `end`. */
// @ts-ignore: decorator
@inline
export function bitsBefore(p: usize, end: usize): u32 {
  return <u32>0xffff >> (16 - <u32>min<usize>(end - p, 16));
}

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
  } else if (length >= 4) {
    const head = load<u32>(from);
    const tail = load<u32>(from + length - 4);
    store<u32>(to, head);
    store<u32>(end - 4, tail);
  } else {
    while (to < end) store<u8>(to++, load<u8>(from++));
  }
  return end;
}

/** The first `byte` in [p, end), or `end`. */
export function findByte(p: usize, end: usize, byte: u8): usize {
  const wanted = i8x16.splat(<i8>byte);
  for (; p < end; p += 16) {
    const found = <u32>i8x16.bitmask(i8x16.eq(v128.load(p), wanted)) & bitsBefore(p, end);
    if (found != 0) return p + <usize>ctz<u32>(found);
  }
  return end;
}

/** The first tab, line feed or carriage return in [p, end), or `end`. */
export function findNewline(p: usize, end: usize): usize {
  const tab = i8x16.splat(9);
  const lineFeed = i8x16.splat(10);
  const carriageReturn = i8x16.splat(13);
  for (; p < end; p += 16) {
    const bytes = v128.load(p);
    const hits = v128.or(
      v128.or(i8x16.eq(bytes, tab), i8x16.eq(bytes, lineFeed)),
      i8x16.eq(bytes, carriageReturn),
    );
    const found = <u32>i8x16.bitmask(hits) & bitsBefore(p, end);
    if (found != 0) return p + <usize>ctz<u32>(found);
  }
  return end;
}

export function sameBytes(a: usize, b: usize, length: usize): bool {
  for (let done: usize = 0; done < length; done += 16) {
    const same = <u32>i8x16.bitmask(i8x16.eq(v128.load(a + done), v128.load(b + done)));
    if ((~same & bitsBefore(done, length)) != 0) return false;
  }
  return true;
}
