/**
 * One fuzz run: a target, a seed, a number of inputs. Its result is the hash of all answers, and how slow the slowest
 * stretch was. Invariant: the same hash for the same seed and number on every runtime and of every build.
 */

import { Chance } from "./chance.ts";
import { Digest } from "./digest.ts";
import type { FuzzCore } from "./doors.ts";
import { seeds } from "./inputs.ts";
import type { Done } from "./target.ts";
import { TARGETS } from "./targets.ts";

export interface FuzzRun {
  readonly target: string;
  readonly seed: number;
  /** At least so many. */
  readonly inputs: number;
}

export interface FuzzResult extends FuzzRun {
  readonly bytes: number;
  readonly hash: string;
  readonly seconds: number;
  /** Over the slowest STRETCH calls, with making the inputs and reading the answers. */
  readonly worstNsPerByte: number;
}

/** Calls that are timed together: a clock is slow, and a scheduler's pause is longer than a call. */
const STRETCH = 4096;

function guarded(call: () => Done, { target, seed, inputs }: FuzzRun): Done {
  try {
    return call();
  } catch (error) {
    throw new Error(`Fuzzing ${target} with seed ${seed} failed after ${inputs} inputs: ${String(error)}`, {
      cause: error,
    });
  }
}

/** `watch` is told after every stretch: whether guards still stand, how far the run is. */
export function fuzz(run: FuzzRun, { core, doors }: FuzzCore, watch: (inputs: number) => void): FuzzResult {
  const target = TARGETS[run.target];
  if (target === undefined) {
    throw new Error(`Fuzzing ${run.target} failed: the targets are ${Object.keys(TARGETS).join(", ")}.`);
  }
  const digest = new Digest(core);
  const call = target({ core, doors, digest, chance: new Chance(run.seed), seeds: seeds() });
  const startedAt = performance.now();
  let inputs = 0;
  let bytes = 0;
  let worstNsPerByte = 0;
  while (inputs < run.inputs) {
    const stretchAt = performance.now();
    let stretchBytes = 0;
    for (let i = 0; i < STRETCH && inputs < run.inputs; i++) {
      const done = guarded(call, { ...run, inputs });
      inputs += done.inputs;
      stretchBytes += done.bytes;
    }
    bytes += stretchBytes;
    worstNsPerByte = Math.max(worstNsPerByte, (performance.now() - stretchAt) * 1e6 / Math.max(1, stretchBytes));
    watch(inputs);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  return { ...run, inputs, bytes, hash: digest.end(), seconds, worstNsPerByte };
}
