/**
 * XXH64, seed 0 (github.com/Cyan4973/xxHash, doc/xxhash_spec.md): fingerprints of URLs, hash of texts.
 * Invariant: the same value as every other implementation; reads exactly [ptr, ptr + len).
 */

const P1: u64 = 0x9e3779b185ebca87;
const P2: u64 = 0xc2b2ae3d27d4eb4f;
const P3: u64 = 0x165667b19e3779f9;
const P4: u64 = 0x85ebca77c2b2ae63;
const P5: u64 = 0x27d4eb2f165667c5;

// @ts-ignore: decorator
@inline
function round(accumulator: u64, lane: u64): u64 {
  return rotl<u64>(accumulator + lane * P2, 31) * P1;
}

// @ts-ignore: decorator
@inline
function merge(hash: u64, accumulator: u64): u64 {
  return (hash ^ round(0, accumulator)) * P1 + P4;
}

export function xxh64(ptr: usize, len: usize): u64 {
  const end = ptr + len;
  let p = ptr;
  let hash: u64 = P5;
  if (len >= 32) {
    let a: u64 = P1 + P2;
    let b: u64 = P2;
    let c: u64 = 0;
    let d: u64 = 0 - P1;
    const last = end - 32;
    while (p <= last) {
      a = round(a, load<u64>(p));
      b = round(b, load<u64>(p, 8));
      c = round(c, load<u64>(p, 16));
      d = round(d, load<u64>(p, 24));
      p += 32;
    }
    hash = rotl<u64>(a, 1) + rotl<u64>(b, 7) + rotl<u64>(c, 12) + rotl<u64>(d, 18);
    hash = merge(merge(merge(merge(hash, a), b), c), d);
  }
  return finish(hash + <u64>len, p, end);
}

function finish(state: u64, from: usize, end: usize): u64 {
  let hash = state;
  let p = from;
  while (p + 8 <= end) {
    hash = rotl<u64>(hash ^ round(0, load<u64>(p)), 27) * P1 + P4;
    p += 8;
  }
  if (p + 4 <= end) {
    hash = rotl<u64>(hash ^ (<u64>load<u32>(p) * P1), 23) * P2 + P3;
    p += 4;
  }
  while (p < end) {
    hash = rotl<u64>(hash ^ (<u64>load<u8>(p) * P5), 11) * P1;
    p++;
  }
  hash = (hash ^ (hash >> 33)) * P2;
  hash = (hash ^ (hash >> 29)) * P3;
  return hash ^ (hash >> 32);
}
