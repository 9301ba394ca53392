/**
 * SimHash over word 3-shingles in JS, as the benchmark's opponent: the core's algorithm with two 32-bit halves in place
 * of 64-bit words, tuned for engines (one loop, no closures, the busiest planes in locals).
 * Its values differ from the core's: it is a measure of speed only.
 */

const LETTERS = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const letter = String.fromCharCode(code).toLowerCase();
  LETTERS[code] = /[a-z0-9]/.test(letter) ? letter.charCodeAt(0) : 0;
}

const PLANES = 24;
const low = new Int32Array(PLANES);
const high = new Int32Array(PLANES);

/** 64 bits, 0n without a shingle. */
export function simhashOf(text: string): bigint {
  low.fill(0);
  high.fill(0);
  let words = 0, shingles = 0;
  let a = 0, b = 0, a1 = 0, b1 = 0, a2 = 0, b2 = 0;
  let l0 = 0, l1 = 0, l2 = 0, l3 = 0, h0 = 0, h1 = 0, h2 = 0, h3 = 0;
  const length = text.length;
  for (let i = 0; i <= length; i++) {
    const code = i < length ? text.charCodeAt(i) : 0;
    const letter = code < 128 ? LETTERS[code]! : code;
    if (letter !== 0) {
      a = (Math.imul(a ^ letter, 0x9fb21c65) + 0x632be59b) | 0;
      b = (Math.imul(b ^ letter, 0x1e98df25) + 0x5bd1e995) | 0;
      continue;
    }
    if ((a | b) === 0) continue;
    const x = Math.imul(a ^ (a >>> 15), 0x85ebca6b);
    const y = Math.imul(b ^ (b >>> 15), 0xc2b2ae35);
    a = 0;
    b = 0;
    if (++words >= 3) {
      shingles++;
      let lo = ((a2 << 20) | (a2 >>> 12)) ^ ((a1 << 10) | (a1 >>> 22)) ^ x;
      let hi = ((b2 << 20) | (b2 >>> 12)) ^ ((b1 << 10) | (b1 >>> 22)) ^ y;
      lo = Math.imul(lo ^ (lo >>> 16), 0x85ebca6b) ^ hi;
      hi = Math.imul(hi ^ (hi >>> 13), 0xc2b2ae35) ^ lo;
      lo ^= lo >>> 16;
      hi ^= hi >>> 16;
      let old = l0;
      l0 = old ^ lo, lo &= old;
      old = h0, h0 = old ^ hi, hi &= old;
      old = l1, l1 = old ^ lo, lo &= old;
      old = h1, h1 = old ^ hi, hi &= old;
      old = l2, l2 = old ^ lo, lo &= old;
      old = h2, h2 = old ^ hi, hi &= old;
      old = l3, l3 = old ^ lo, lo &= old;
      old = h3, h3 = old ^ hi, hi &= old;
      for (let plane = 4; (lo | hi) !== 0 && plane < PLANES; plane++) {
        const wasLow = low[plane]!, wasHigh = high[plane]!;
        low[plane] = wasLow ^ lo;
        high[plane] = wasHigh ^ hi;
        lo &= wasLow;
        hi &= wasHigh;
      }
    }
    a2 = a1, b2 = b1, a1 = x, b1 = y;
  }
  low[0] = l0, low[1] = l1, low[2] = l2, low[3] = l3;
  high[0] = h0, high[1] = h1, high[2] = h2, high[3] = h3;
  return majority(shingles >> 1);
}

/** Bits that more than half of the shingles have. */
function majority(half: number): bigint {
  let moreLow = 0, moreHigh = 0, equalLow = -1, equalHigh = -1;
  for (let plane = PLANES - 1; plane >= 0; plane--) {
    const wanted = (half >> plane) & 1 ? -1 : 0;
    moreLow |= equalLow & low[plane]! & ~wanted;
    moreHigh |= equalHigh & high[plane]! & ~wanted;
    equalLow &= ~(low[plane]! ^ wanted);
    equalHigh &= ~(high[plane]! ^ wanted);
  }
  return (BigInt(moreHigh >>> 0) << 32n) | BigInt(moreLow >>> 0);
}
