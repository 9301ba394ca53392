/**
 * The typed door: what wit/core.wit declares, over the canonical ABI. `<interface>_<function>` becomes
 * `outrider:core/<interface>#<function>` (../export_names.ts).
 * Invariant: the same answers as the raw door, from the same code.
 */

import { release, RETURN_AREA, returnList } from "./abi";
import { addKeys, hasKeys, openFilter } from "./bloom/split_block";
import { xxh64 } from "./hash/xxh64";
import { OUTPUT, reserve } from "./memory/buffers";
import { normalizeBatch, textBytes, textPtr, urlRows } from "./url/batch";
import { Facts, findFacts } from "./url/facts";

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

/** `result<url-facts, url-error>`: four strings and a u64, or the error's case. */
export function urls_facts(
  p: usize,
  length: usize,
  hasBase: i32,
  base: usize,
  baseLength: usize,
  maxBytes: u32,
  rules: u32,
): usize {
  const failure = findFacts(p, length, hasBase != 0 ? base : 0, baseLength, maxBytes, rules);
  release(p, length);
  if (hasBase != 0) release(base, baseLength);
  store<u8>(RETURN_AREA, failure < 0 ? 1 : 0);
  if (failure < 0) {
    store<u8>(RETURN_AREA, <u8>(-1 - failure), 8);
    return RETURN_AREA;
  }
  returnList(8, Facts.href, Facts.hrefLength);
  returnList(16, Facts.key, Facts.keyLength);
  returnList(24, Facts.surt, Facts.surtLength);
  returnList(32, Facts.host, Facts.hostLength);
  store<u64>(RETURN_AREA, Facts.fingerprint, 40);
  return RETURN_AREA;
}

/** `record url-batch`; all empty when there is no room for the answers. */
export function urls_normalize(
  input: usize,
  inputBytes: usize,
  ends: usize,
  count: usize,
  maxBytes: u32,
  rules: u32,
): usize {
  const out = normalizeBatch(input, inputBytes, ends, count, maxBytes, rules);
  release(input, inputBytes);
  release(ends, count << 2);
  returnList(0, out, out == 0 ? 0 : count);
  returnList(8, out + (count << 3), out == 0 ? 0 : count * 2 + urlRows() * 4);
  returnList(16, textPtr(), out == 0 ? 0 : textBytes());
  return RETURN_AREA;
}
