/**
 * Buffers that grow and are kept for the next call, so that a call allocates nothing once the core is warm.
 * Invariant: a buffer's content is valid until its next reserve; none is larger than MAX_BYTES.
 */

/** Bound of one buffer: a page of 10 MB decoded, three bytes for each, and room. */
export const MAX_BYTES: usize = 128 * 1024 * 1024;

/** What the host writes its input to. */
export const INPUT: i32 = 0;
/** Ends of the strings in INPUT. */
export const INPUT_ENDS: i32 = 1;
/** Answers of batches. */
export const OUTPUT: i32 = 2;
/** Text that OUTPUT points into. */
export const TEXT: i32 = 3;
/** Second and third input of the host (base URL, options). */
export const INPUT_2: i32 = 4;
export const INPUT_3: i32 = 5;
/** url/: the href that is being written, the base, cleaned input, and the host. */
export const URL_HREF: i32 = 6;
export const URL_BASE: i32 = 7;
export const URL_CLEAN: i32 = 8;
export const URL_HOST: i32 = 9;
export const URL_KEY: i32 = 10;
export const URL_QUERY: i32 = 11;
export const URL_SURT: i32 = 12;
export const URL_LABEL: i32 = 13;
export const URL_LABEL_2: i32 = 14;
/** text/: how often each feature of a text was met. */
export const TEXT_FEATURES: i32 = 15;
/** html/ has sixteen: HTML_0 + n. */
export const HTML_0: i32 = 16;
/** charset/ and detect/ have ten: CHARSET_0 + n. */
export const CHARSET_0: i32 = 32;

/** Bytes behind every buffer that may be read, so that a block can be read at once that begins within it; none counts. */
export const SLACK: usize = 16;

/** In a build with asserts: bytes on both sides of a buffer that nothing may write, and that no answer depends on. */
const GUARD: usize = ASC_NO_ASSERT ? 0 : 64;
const GUARD_BYTE: u8 = 0xa5;

const COUNT: i32 = 42;
const SMALLEST: usize = 4096;
/** (address, capacity) pairs. */
const table: usize = memory.data(42 * 8, 8);

// @ts-ignore: decorator
@inline
function slot(buffer: i32): usize {
  return table + (<usize>buffer << 3);
}

/** The address of `buffer` with at least `bytes`; its content is lost when it has to move. 0 when over the bound. */
export function reserve(buffer: i32, bytes: usize): usize {
  const at = slot(buffer);
  // An address is never 0, not even for nothing: 0 says that there is no room.
  if (bytes <= load<u32>(at, 4) && load<u32>(at) != 0) return load<u32>(at);
  if (bytes > MAX_BYTES || <u32>buffer >= <u32>COUNT) return 0;
  const old: usize = load<u32>(at);
  if (old != 0) heap.free(old - GUARD);
  return place(at, roomier(bytes));
}

/** As `reserve`, but the content is kept. */
export function reserveKept(buffer: i32, bytes: usize): usize {
  const at = slot(buffer);
  const old: usize = load<u32>(at);
  const had: usize = load<u32>(at, 4);
  if (bytes <= had && old != 0) return old;
  if (bytes > MAX_BYTES || <u32>buffer >= <u32>COUNT) return 0;
  const fresh = place(at, roomier(max<usize>(bytes, min<usize>(had << 1, MAX_BYTES))));
  if (old != 0) {
    memory.copy(fresh, old, had);
    heap.free(old - GUARD);
  }
  return fresh;
}

/** Bytes that `buffer` holds now. */
export function capacity(buffer: i32): usize {
  return load<u32>(slot(buffer), 4);
}

function roomier(bytes: usize): usize {
  // The guard stands right behind what was asked for.
  if (!ASC_NO_ASSERT) return max<usize>(bytes, 1);
  const quarterMore = bytes + (bytes >> 2);
  return (max<usize>(quarterMore, SMALLEST) + 63) & ~63;
}

function place(at: usize, bytes: usize): usize {
  const address = heap.alloc(bytes + (GUARD << 1) + SLACK) + GUARD;
  memory.fill(address - GUARD, GUARD_BYTE, GUARD);
  memory.fill(address + bytes, GUARD_BYTE, GUARD);
  store<u32>(at, <u32>address);
  store<u32>(at, <u32>bytes, 4);
  return address;
}

/** How many buffers were written beside; 0 in a build without asserts. */
export function brokenGuards(): i32 {
  let broken = 0;
  for (let buffer: i32 = 0; buffer < COUNT; buffer++) {
    const address: usize = load<u32>(slot(buffer));
    if (address != 0 && !(isGuard(address - GUARD) && isGuard(address + capacity(buffer)))) broken++;
  }
  return broken;
}

function isGuard(at: usize): bool {
  for (let i: usize = 0; i < GUARD; i++) if (load<u8>(at + i) != GUARD_BYTE) return false;
  return true;
}
