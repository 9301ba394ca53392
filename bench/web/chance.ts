/**
 * Seeded chance for the synthetic web: every choice is a hash of what it is about, never of the order of asking.
 * Invariant: integer arithmetic only, so that every runtime builds the same web from the same seed.
 */

/** 32-bit hash of up to four integers (murmur3's mixing steps). */
export function hash32(a: number, b = 0, c = 0, d = 0): number {
  let h = mix(0x2545f491, a);
  h = mix(h, b);
  h = mix(h, c);
  h = mix(h, d);
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function mix(h: number, value: number): number {
  let k = Math.imul(value, 0xcc9e2d51);
  k = (k << 15) | (k >>> 17);
  h ^= Math.imul(k, 0x1b873593);
  h = (h << 13) | (h >>> 19);
  return (Math.imul(h, 5) + 0xe6546b64) | 0;
}

/** A stream of choices about one thing. */
export interface Chance {
  /** Uniform integer in [0, n). */
  below(n: number): number;
  /** True `percent` times in a hundred. */
  percent(percent: number): boolean;
  pick<T>(from: readonly T[]): T;
}

/** The stream of the thing that these integers name. */
export function chanceOf(seed: number, topic: number, a = 0, b = 0): Chance {
  let state = hash32(seed, topic, a, b);
  const next = () => {
    state = (state + 0x9e3779b9) | 0;
    return hash32(state);
  };
  const below = (n: number) => Math.floor((next() / 2 ** 32) * n);
  return { below, percent: (percent) => below(100) < percent, pick: (from) => from[below(from.length)]! };
}

/** Topics keep the streams of different questions apart. */
export const TOPIC = {
  kinds: 1,
  path: 2,
  links: 3,
  words: 4,
  prose: 5,
  size: 6,
  robots: 7,
  coding: 8,
  near: 9,
} as const;
