/**
 * The index of near fingerprints and its snapshots, against a look at every fingerprint.
 * Invariant: nothing within three bits is missed, nothing beyond is told, waiting or settled, also when it is full.
 */

import type { NearIndex } from "../../core-wasm/mod.ts";
import { makeNearIndex, restoreNearIndex } from "../../core-wasm/near_index.ts";
import type { Chance } from "./chance.ts";
import { joined, judge, spoil } from "./spoiled.ts";
import type { Target } from "./target.ts";

const CALLS = 40;
const MOST_BITS = 3;
/** Bits that SimHashes have: most fingerprints of an index are of this kind. */
const TOLD = 0x01ff01ff01ff01ffn;

/** Near one of a few centres, or anything. */
function makeFingerprint(chance: Chance): bigint {
  const high = BigInt(chance.below(2 ** 31)) * BigInt(chance.below(8));
  if (chance.below(4) === 0) return BigInt.asUintN(64, (high << 31n) | BigInt(chance.below(2 ** 31)));
  let value = BigInt(chance.below(6)) * 0x0123456789abcdefn;
  for (let flips = chance.below(5); flips > 0; flips--) value ^= 1n << BigInt(chance.below(64));
  return BigInt.asUintN(64, chance.below(2) === 0 ? value & TOLD : value);
}

function makeFingerprints(chance: Chance, most: number): BigUint64Array {
  return BigUint64Array.from({ length: chance.below(most) }, () => makeFingerprint(chance));
}

function bitsBetween(a: bigint, b: bigint): number {
  let bits = 0;
  for (let rest = a ^ b; rest !== 0n && bits <= MOST_BITS; rest &= rest - 1n) bits++;
  return bits;
}

/** The nearest of `held` and its distance; every one within three bits, in order. */
function byLooking(held: ReadonlySet<bigint>, wanted: bigint): { nearest: bigint; bits: number; all: bigint[] } {
  const all = [...held].filter((one) => bitsBetween(one, wanted) <= MOST_BITS).sort((a, b) => (a < b ? -1 : 1));
  let [nearest, bits] = [0n, 255];
  for (const one of all) {
    if (bitsBetween(one, wanted) < bits) [nearest, bits] = [one, bitsBetween(one, wanted)];
  }
  return { nearest, bits, all };
}

function check(index: NearIndex, held: ReadonlySet<bigint>, wanted: bigint): void {
  const looked = byLooking(held, wanted);
  const { fingerprints, distances } = index.nearest(BigUint64Array.of(wanted));
  const within = index.within(wanted, held.size + 1).sort();
  if (fingerprints[0] !== looked.nearest || distances[0] !== looked.bits || within.join() !== looked.all.join()) {
    throw new Error(
      `Near ${wanted} the index found ${fingerprints[0]} and ${within.join()}; wanted ${looked.all.join()}.`,
    );
  }
}

function addTo(
  held: Set<bigint>,
  { fingerprints, answers }: { fingerprints: BigUint64Array; answers: Uint8Array },
): void {
  for (const [i, one] of fingerprints.entries()) {
    if ((answers[i] === 0) !== held.has(one)) throw new Error(`Adding ${one} was answered by ${answers[i]}.`);
    if (answers[i] === 1) held.add(one);
  }
}

const near: Target = ({ doors, chance, digest }) => {
  let index: NearIndex | undefined;
  const held = new Set<bigint>();
  let left = 0;
  return () => {
    if (index === undefined || left-- <= 0) {
      index?.free();
      index = makeNearIndex(doors.fresh(), 1 + chance.below(600));
      held.clear();
      left = CALLS;
    }
    const fingerprints = makeFingerprints(chance, 64);
    addTo(held, { fingerprints, answers: index.addAll(fingerprints) });
    if (chance.below(8) === 0) digest.number(index.snapshot(0n).length);
    const asked = makeFingerprints(chance, 64);
    const found = index.nearest(asked);
    for (const one of found.fingerprints) digest.long(one);
    digest.bytes(found.distances);
    check(index, held, makeFingerprint(chance));
    const inputs = fingerprints.length + asked.length;
    return { inputs, bytes: inputs * 8 };
  };
};

const nearSnapshots: Target = ({ doors, chance, digest }) => {
  let bytes = new Uint8Array();
  let raw = doors.fresh();
  const held = new Set<bigint>();
  let left = 0;
  return () => {
    if (left-- <= 0) {
      const made = makeNearIndex(doors.fresh(), 40);
      held.clear();
      const fingerprints = makeFingerprints(chance, 20);
      addTo(held, { fingerprints, answers: made.addAll(fingerprints) });
      bytes = joined(made.snapshot(BigInt(chance.below(1000))));
      left = CALLS * 50;
    }
    if (raw.raw_nearSettled() !== 0) raw = doors.fresh();
    const spoiled = spoil(chance, bytes);
    const restored = restoreNearIndex(raw, spoiled.bytes);
    judge(restored, spoiled);
    if ("error" in restored) digest.text(restored.error);
    else check(restored.index, held, makeFingerprint(chance));
    return { inputs: 1, bytes: spoiled.bytes.length };
  };
};

/** Fingerprints that a host hands over as those of a snapshot: in order of their first block, or not, some of them twice. */
const nearLoad: Target = ({ doors, chance, digest }) => {
  const room = 64;
  const raw = doors.fresh();
  if (raw.raw_nearOpen(room) !== 1) throw new Error(`Opening an index of ${room} fingerprints failed.`);
  return () => {
    const made = makeFingerprints(chance, room);
    const given = chance.below(4) === 0 ? made : BigUint64Array.from(new Set(made));
    if (chance.below(4) !== 0) given.sort((a, b) => Number(a & 0xffffn) - Number(b & 0xffffn));
    const at = raw.raw_nearSettled() >>> 0;
    new BigUint64Array(raw.memory.buffer, at, given.length).set(given);
    const wasTaken = raw.raw_nearLoad(given.length) === 1;
    const isOrdered = given.every((one, i) => i === 0 || (given[i - 1]! & 0xffffn) <= (one & 0xffffn));
    const isDistinct = new Set(given).size === given.length;
    if (wasTaken !== (isOrdered && isDistinct)) {
      throw new Error(`Loading ${given.join()} into an index was answered by ${wasTaken}.`);
    }
    digest.number(raw.raw_nearCount());
    const wanted = makeFingerprint(chance);
    const found = raw.raw_nearAll(BigInt.asIntN(64, wanted), room);
    const near = wasTaken ? given.filter((one) => bitsBetween(one, wanted) <= MOST_BITS).length : 0;
    if (found !== near) throw new Error(`Near ${wanted} a loaded index found ${found}; wanted ${near}.`);
    return { inputs: 1 + given.length, bytes: given.byteLength };
  };
};

export const NEAR_TARGETS = { near, nearSnapshots, nearLoad } satisfies Record<string, Target>;
