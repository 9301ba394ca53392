/**
 * Filters: plain, in layers, shared between workers, and their snapshots, whole, torn and changed.
 * Invariant: a key that was added is never absent, however the filter was made; a snapshot that isn't whole is refused.
 */

import type { Filter } from "../../core-wasm/mod.ts";
import { makeFilter, restoreFilter } from "../../core-wasm/filter.ts";
import { GrowingFilter, restoreLayers } from "../../core-wasm/layered_filter.ts";
import {
  makeSharedFilter,
  openSharedFilter,
  type SharedFilter,
  sharedFilterOf,
} from "../../core-wasm/shared_filter.ts";
import type { Chance } from "./chance.ts";
import { joined, judge, spoil } from "./spoiled.ts";
import type { FuzzParts, Target } from "./target.ts";

const MOST_KEYS = 256;
/** Calls that one filter takes. */
const CALLS = 40;
const SIZES = { firstKeys: 500, mostKeys: 3000 };

/** Keys that repeat, within a batch and between batches. */
function makeKeys(chance: Chance): BigUint64Array {
  return BigUint64Array.from(
    { length: chance.below(MOST_KEYS) },
    () => BigInt(chance.below(5000)) << BigInt(chance.below(50)),
  );
}

function addAndAsk(filter: Pick<Filter, "addAll" | "hasAll">, keys: BigUint64Array, digest: FuzzParts["digest"]): void {
  digest.bytes(filter.addAll(keys));
  const found = filter.hasAll(keys);
  if (found.includes(0)) throw new Error(`A filter forgot key ${keys[found.indexOf(0)]} as soon as it was added.`);
}

/** Filters of many sizes, filled beyond what they were made for. */
const filter: Target = ({ doors, chance, digest }) => {
  let current: Filter | undefined;
  let left = 0;
  return () => {
    if (left-- <= 0) {
      current?.free();
      current = makeFilter(doors.fresh(), 1 + chance.below(chance.below(20) === 0 ? 200_000 : 2000));
      left = CALLS;
    }
    const keys = makeKeys(chance);
    addAndAsk(current!, keys, digest);
    digest.bytes(current!.hasAll(makeKeys(chance)));
    return { inputs: keys.length, bytes: keys.byteLength };
  };
};

const layers: Target = ({ doors, chance, digest }) => {
  let current = new GrowingFilter(() => doors.fresh(), SIZES);
  let left = CALLS;
  return () => {
    if (left-- <= 0) {
      current.free();
      current = new GrowingFilter(() => doors.fresh(), SIZES);
      left = CALLS;
    }
    const keys = makeKeys(chance);
    addAndAsk(current, keys, digest);
    digest.number(current.layers);
    digest.number(current.count);
    return { inputs: keys.length, bytes: keys.byteLength };
  };
};

/** Two workers' views of one memory, in turn. */
const { module } = (await makeSharedFilter(1)).handle;
const sharedFilter: Target = ({ chance, digest }) => {
  let views: SharedFilter[] = [];
  let left = 0;
  return () => {
    if (left-- <= 0) {
      const first = sharedFilterOf(module, 1 + chance.below(20_000));
      views = [first, openSharedFilter(first.handle)];
      left = CALLS * 10;
    }
    const keys = makeKeys(chance);
    const before = views[0]!.count;
    const added = views[chance.below(2)]!.addAll(keys);
    const fresh = views[1]!.count - before;
    if (fresh !== added.reduce((sum, one) => sum + one, 0)) {
      throw new Error(`A shared filter counted ${fresh} new keys and told another number.`);
    }
    if (views[chance.below(2)]!.hasAll(keys).includes(0)) throw new Error("A shared filter forgot a key.");
    digest.bytes(added);
    return { inputs: keys.length, bytes: keys.byteLength };
  };
};

/** Snapshots of small filters. */
const filterSnapshots: Target = ({ doors, chance, digest }) => {
  let raw = doors.fresh();
  let bytes = new Uint8Array();
  let keys: BigUint64Array = new BigUint64Array();
  let left = 0;
  return () => {
    if (left-- <= 0) {
      const made = makeFilter(doors.fresh(), 1 + chance.below(40));
      keys = makeKeys(chance).subarray(0, 60);
      made.addAll(keys);
      bytes = joined(made.snapshot(BigInt(chance.below(1000))));
      left = CALLS * 50;
    }
    // One that was refused for its header holds no filter yet.
    if (raw.raw_filterBlocks() !== 0) raw = doors.fresh();
    const spoiled = spoil(chance, bytes);
    const restored = restoreFilter(raw, spoiled.bytes);
    judge(restored, spoiled);
    if ("error" in restored) digest.text(restored.error);
    else digest.bytes(restored.filter.hasAll(keys));
    if (!("error" in restored) && restored.filter.hasAll(keys).includes(0)) {
      throw new Error("A restored filter forgot a key.");
    }
    return { inputs: 1, bytes: spoiled.bytes.length };
  };
};

const layerSnapshots: Target = ({ doors, chance, digest }) => {
  const sizes = { firstKeys: 20, mostKeys: 40 };
  let unused = doors.fresh();
  /** One that was asked to hash alone holds no filter yet. */
  const instance = () => {
    if (unused.raw_filterBlocks() !== 0) unused = doors.fresh();
    return unused;
  };
  let bytes = new Uint8Array();
  let keys: BigUint64Array = new BigUint64Array();
  let left = 0;
  return () => {
    if (left-- <= 0) {
      const made = new GrowingFilter(() => doors.fresh(), sizes);
      keys = makeKeys(chance).subarray(0, 40);
      made.addAll(keys);
      bytes = joined(made.snapshot(BigInt(chance.below(1000))));
      left = CALLS * 50;
    }
    const spoiled = spoil(chance, bytes);
    const restored = restoreLayers(instance, spoiled.bytes, sizes);
    judge(restored, spoiled);
    if ("error" in restored) digest.text(restored.error);
    else if (restored.filter.hasAll(keys).includes(0)) throw new Error("Restored layers forgot a key.");
    return { inputs: 1, bytes: spoiled.bytes.length };
  };
};

export const FILTER_TARGETS = { filter, layers, sharedFilter, filterSnapshots, layerSnapshots } satisfies Record<
  string,
  Target
>;
