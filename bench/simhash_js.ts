/**
 * SimHash in JS, as the benchmark's opponent: the core's algorithm (docs/SIMHASH.md) with two 32-bit halves in place of
 * 64-bit words, tuned for engines (one loop, no closures, the busiest planes in locals).
 * Its values differ from the core's: it is a measure of speed only.
 */

const LETTERS = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const letter = String.fromCharCode(code).toLowerCase();
  LETTERS[code] = /[a-z0-9]/.test(letter) ? letter.charCodeAt(0) : 0;
}

const PLANES = 32;
const LEAST_LETTERS = 4;
const LONG_LETTERS = 5;
const REPEATED_SHIFT = 6;
const MOST_TIMES = 63;
const MOST_PROBES = 16;
const TOLD = 0x01ff01ff;

const low = new Int32Array(PLANES);
const high = new Int32Array(PLANES);

/** Features by slot: two halves of the hash, and how often it was met; pairs below WORDS_FROM, long words above. */
const SLOTS = 1 << 14;
const tagsLow = new Int32Array(2 * SLOTS);
const tagsHigh = new Int32Array(2 * SLOTS);
const times = new Uint8Array(2 * SLOTS);
const repeated = new Int32Array(2 * SLOTS);
let repeatedCount = 0;

/** `first`: 0 for pairs, SLOTS for words. */
function count(lo: number, hi: number, first: number, mask: number): void {
  let slot = lo & mask;
  for (let probe = 0; probe < MOST_PROBES; probe++) {
    const at = first + slot;
    if (times[at] === 0) {
      times[at] = 1;
      tagsLow[at] = lo;
      tagsHigh[at] = hi;
      return;
    }
    if (tagsLow[at] === lo && tagsHigh[at] === hi) {
      if (times[at]! < MOST_TIMES && times[at]!++ === 1) repeated[repeatedCount++] = at;
      return;
    }
    slot = (slot + 1) & mask;
  }
}

/** Adds a hash to the counters from `plane` on. */
function addAt(lo: number, hi: number, plane: number): void {
  for (let at = plane; (lo | hi) !== 0 && at < PLANES; at++) {
    const wasLow = low[at]!, wasHigh = high[at]!;
    low[at] = wasLow ^ lo;
    high[at] = wasHigh ^ hi;
    lo &= wasLow;
    hi &= wasHigh;
  }
}

/** 64 bits, 0n without a word. For texts of at most some 100 KB. */
export function simhashOf(text: string): bigint {
  const length = text.length;
  const mask = Math.min(SLOTS, 2 ** Math.ceil(Math.log2(Math.max(256, length / 4)))) - 1;
  low.fill(0);
  high.fill(0);
  times.fill(0, 0, mask + 1);
  times.fill(0, SLOTS, SLOTS + mask + 1);
  repeatedCount = 0;
  let total = 0, letters = 0;
  let a = 0, b = 0, a1 = 0, b1 = 0;
  let l0 = 0, l1 = 0, l2 = 0, l3 = 0, h0 = 0, h1 = 0, h2 = 0, h3 = 0;
  for (let i = 0; i <= length; i++) {
    const code = i < length ? text.charCodeAt(i) : 0;
    const letter = code < 128 ? LETTERS[code]! : code;
    if (letter !== 0) {
      a = (Math.imul(a ^ letter, 0x9fb21c65) + 0x632be59b) | 0;
      b = (Math.imul(b ^ letter, 0x1e98df25) + 0x5bd1e995) | 0;
      letters++;
      continue;
    }
    if (letters >= LEAST_LETTERS) {
      const x = Math.imul(a ^ (a >>> 15), 0x85ebca6b);
      const y = Math.imul(b ^ (b >>> 15), 0xc2b2ae35);
      let lo = ((a1 << 20) | (a1 >>> 12)) ^ x;
      let hi = ((b1 << 20) | (b1 >>> 12)) ^ y;
      lo = Math.imul(lo ^ (lo >>> 16), 0x85ebca6b) ^ hi;
      hi = Math.imul(hi ^ (hi >>> 13), 0xc2b2ae35) ^ lo;
      lo ^= lo >>> 16;
      hi ^= hi >>> 16;
      a1 = x, b1 = y;
      total++;
      count(lo, hi, 0, mask);
      if (letters >= LONG_LETTERS) count(x ^ (x >>> 16), y, SLOTS, mask);
      let old = l0;
      l0 = old ^ lo, lo &= old;
      old = h0, h0 = old ^ hi, hi &= old;
      old = l1, l1 = old ^ lo, lo &= old;
      old = h1, h1 = old ^ hi, hi &= old;
      old = l2, l2 = old ^ lo, lo &= old;
      old = h2, h2 = old ^ hi, hi &= old;
      old = l3, l3 = old ^ lo, lo &= old;
      old = h3, h3 = old ^ hi, hi &= old;
      if ((lo | hi) !== 0) addAt(lo, hi, 4);
    }
    a = 0, b = 0, letters = 0;
  }
  low[0] = l0, low[1] = l1, low[2] = l2, low[3] = l3;
  high[0] = h0, high[1] = h1, high[2] = h2, high[3] = h3;
  return majority((total + addRepeated()) >>> 1);
}

/** Adds what was met again by its weight, which is returned. */
function addRepeated(): number {
  let weight = 0;
  for (let i = 0; i < repeatedCount; i++) {
    const at = repeated[i]!;
    const more = times[at]! - (at >= SLOTS ? 2 : 1);
    for (let left = more, plane = REPEATED_SHIFT; left !== 0; left >>= 1, plane++) {
      if ((left & 1) !== 0) addAt(tagsLow[at]!, tagsHigh[at]!, plane);
    }
    weight += more << REPEATED_SHIFT;
  }
  return weight;
}

/** Bits that more than half of the weights have. */
function majority(half: number): bigint {
  let moreLow = 0, moreHigh = 0, equalLow = -1, equalHigh = -1;
  for (let plane = PLANES - 1; plane >= 0; plane--) {
    const wanted = (half >>> plane) & 1 ? -1 : 0;
    moreLow |= equalLow & low[plane]! & ~wanted;
    moreHigh |= equalHigh & high[plane]! & ~wanted;
    equalLow &= ~(low[plane]! ^ wanted);
    equalHigh &= ~(high[plane]! ^ wanted);
  }
  return (BigInt(moreHigh & TOLD) << 32n) | BigInt(moreLow & TOLD);
}
