/**
 * A control plane for tests: the real coordinator on the stores in RAM, with a clock that the test moves.
 * Invariant: nothing outlives `close`.
 */

import { robotsJudge } from "../../cli/robots_judge.ts";
import { type FrontierCoordinator, openCoordinator } from "../../coordinator/frontier/coordinator.ts";
import type { FrontierSettings } from "../../coordinator/frontier/settings.ts";
import { MemoryControlDisk, MemoryControlStore } from "../../coordinator/store/memory_control_store.ts";
import { memoryShardReader } from "../../coordinator/store/memory_shard_reader.ts";
import { MemoryShardDisk, MemoryShardStore } from "../../coordinator/store/memory_shard_store.ts";
import type { Core } from "../../core-wasm/core.ts";
import { loadCore } from "../../core-wasm/mod.ts";
import { nativeDigest, systemClock, systemRandom } from "../../runtime/node.ts";
import type { Clock, Logger } from "../../runtime/ports.ts";

export const silentLog: Logger = { debug() {}, info() {}, warn() {}, error() {} };

export interface ControlPlane {
  readonly coordinator: FrontierCoordinator;
  readonly control: MemoryControlStore;
  readonly clock: Clock;
  /** Moves the coordinator's time on by `ms`. */
  advance(ms: number): void;
}

/** Real ms between two sweeps: what a moved clock makes due is noticed soon. */
const SWEEP_MS = 10;

let core: Promise<Core> | undefined;

/** Real sleeps, but a time of day that `advance` moves: waits are short and every duration is said by the test. */
function movedClock(): { clock: Clock; advance(ms: number): void } {
  let moved = 0;
  return {
    clock: {
      wallMs: () => systemClock.wallMs() + moved,
      monotonicMs: () => systemClock.monotonicMs() + moved,
      sleep: systemClock.sleep,
    },
    advance: (ms) => void (moved += ms),
  };
}

/** What survives a crash of a control plane in RAM. */
export interface Disks {
  readonly control: MemoryControlDisk;
  readonly shards: readonly MemoryShardDisk[];
}

export function freshDisks(shards = 1): Disks {
  return { control: new MemoryControlDisk(), shards: Array.from({ length: shards }, () => new MemoryShardDisk()) };
}

/** A coordinator on these disks; the caller closes it. */
export async function openControlPlane(disks: Disks, settings: Partial<FrontierSettings> = {}): Promise<ControlPlane> {
  const { clock, advance } = movedClock();
  const control = new MemoryControlStore(disks.control);
  await control.directory.found(disks.shards.map((_, shard) => `frontier-${shard}.db`));
  const coordinator = await openCoordinator({
    core: await (core ??= loadCore()),
    log: silentLog,
    settings: { sweepMs: SWEEP_MS, ...settings },
    clock,
    random: systemRandom,
    digest: nativeDigest,
    robots: robotsJudge,
    controlStore: control,
    shardStores: disks.shards.map((disk) => new MemoryShardStore(disk)),
    slots: {
      directory: control.directory,
      // By the file's name, as if every folder were a link to one; any other name is an empty database.
      openReader: (location) => {
        const shard = disks.shards.findIndex((_, index) => location.endsWith(`frontier-${index}.db`));
        return memoryShardReader(disks.shards[shard] ?? new MemoryShardDisk());
      },
    },
  });
  return { coordinator, control, clock, advance };
}

export async function withControlPlane(
  body: (plane: ControlPlane) => Promise<void>,
  options: { readonly shards?: number; readonly settings?: Partial<FrontierSettings> } = {},
): Promise<void> {
  const plane = await openControlPlane(freshDisks(options.shards), options.settings);
  try {
    await body(plane);
  } finally {
    await plane.coordinator.close();
  }
}
