/**
 * From which batch size on WASM wins: URLs to keys and filter keys, for sizes from one up, by both doors.
 * Invariant: URLs rotate through thousands, keys through a million.
 */

import type { Core } from "../core-wasm/core.ts";
import { CoreSlot, type TypedDoor } from "../core-wasm/instance.ts";
import { loadArtefact } from "../core-wasm/load.ts";
import { DEFAULT_PROFILE, rulesOf } from "../core-wasm/normalize_profile.ts";
import { LIMITS } from "../protocol/limits.ts";
import type { BenchInputs } from "./core_inputs.ts";
import { keyByPlatform } from "./core_url.ts";
import { measure } from "./interleaved.ts";
import type { CoreRow } from "./report/core_row.ts";

const SIZES = [1, 2, 4, 8, 32, 200];
const RULES = rulesOf(DEFAULT_PROFILE);
const encoder = new TextEncoder();

function keysByCore(core: Core, inputs: readonly string[]): number {
  const batch = core.urls(inputs);
  let length = 0;
  for (let i = 0; i < batch.length; i++) length += batch.key(i).length;
  return length;
}

/** Bytes and ends made for each call, as a host without the raw door would. */
function keysByComponent(typed: TypedDoor, inputs: readonly string[]): number {
  const ends = new Uint32Array(inputs.length);
  let end = 0;
  for (const [i, input] of inputs.entries()) ends[i] = end += encoder.encode(input).length;
  return typed.urls.normalize(encoder.encode(inputs.join("")), ends, LIMITS.urlBytes, RULES).text.length;
}

/** Rows of each size. */
export async function benchSizes(core: Core, { source, urls }: BenchInputs): Promise<CoreRow[]> {
  const { module, instantiate } = await loadArtefact();
  const slot = new CoreSlot(module, instantiate);
  return SIZES.flatMap((size) => {
    const batches = urls.flatMap((batch) =>
      Array.from({ length: Math.floor(batch.length / size) }, (_, i) => batch.slice(i * size, (i + 1) * size))
    );
    const at = (turn: number) => batches[turn % batches.length]!;
    return measure({
      name: `${source} URLs to keys, batch of ${size}`,
      opsPerCall: size,
      candidates: {
        "JS URL class": (turn) => at(turn).reduce((sum, input) => sum + keyByPlatform(input).length, 0),
        "WASM, component door": (turn) => slot.run(({ typed }) => keysByComponent(typed, at(turn))),
        "WASM, raw door": (turn) => keysByCore(core, at(turn)),
      },
    });
  });
}
