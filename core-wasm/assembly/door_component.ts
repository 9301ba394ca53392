/**
 * The typed door: what wit/core.wit declares, over the canonical ABI. `<interface>_<function>` becomes
 * `outrider:core/<interface>#<function>` (../export_names.ts).
 * Invariant: the same answers as the raw door, from the same code.
 */

import { release, RETURN_AREA, returnList } from "./abi";
import { addKeys, hasKeys, openFilter } from "./bloom/split_block";
import { xxh64 } from "./hash/xxh64";
import { OUTPUT, reserve } from "./memory/buffers";

export function hashing_xxh64(ptr: usize, len: usize): u64 {
  const hash = xxh64(ptr, len);
  release(ptr, len);
  return hash;
}

export function filters_open(blocks: u32): bool {
  return openFilter(blocks);
}

export function filters_addAll(keys: usize, count: usize): usize {
  const out = reserve(OUTPUT, count);
  if (out != 0) addKeys(keys, count, out);
  release(keys, count << 3);
  returnList(0, out, out == 0 ? 0 : count);
  return RETURN_AREA;
}

export function filters_hasAll(keys: usize, count: usize): usize {
  const out = reserve(OUTPUT, count);
  if (out != 0) hasKeys(keys, count, out);
  release(keys, count << 3);
  returnList(0, out, out == 0 ? 0 : count);
  return RETURN_AREA;
}
