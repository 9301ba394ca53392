/**
 * A control plane for tests: the real coordinator on the stores in RAM, with a clock that the test moves.
 * Invariant: nothing outlives `close`.
 */

import { openCoordinator } from "../../coordinator/frontier/coordinator.ts";
import type { FrontierSettings } from "../../coordinator/frontier/settings.ts";
import type { Coordinator } from "../../coordinator/ports.ts";
import { MemoryControlStore } from "../../coordinator/store/memory_control_store.ts";
import { MemoryShardStore } from "../../coordinator/store/memory_shard_store.ts";
import type { Core } from "../../core-wasm/core.ts";
import { loadCore } from "../../core-wasm/mod.ts";
import { systemClock, systemRandom } from "../../runtime/node.ts";
import type { Clock, Logger } from "../../runtime/ports.ts";

export const silentLog: Logger = { debug() {}, info() {}, warn() {}, error() {} };

export interface ControlPlane {
  readonly coordinator: Coordinator;
  readonly control: MemoryControlStore;
  readonly clock: Clock;
  /** Moves the coordinator's time on by `ms`. */
  advance(ms: number): void;
}

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

export async function withControlPlane(
  body: (plane: ControlPlane) => Promise<void>,
  options: { readonly shards?: number; readonly settings?: Partial<FrontierSettings> } = {},
): Promise<void> {
  const { clock, advance } = movedClock();
  const control = new MemoryControlStore();
  const coordinator = await openCoordinator({
    core: await (core ??= loadCore()),
    log: silentLog,
    settings: options.settings ?? {},
    clock,
    random: systemRandom,
    controlStore: control,
    shardStores: Array.from({ length: options.shards ?? 1 }, () => new MemoryShardStore()),
  });
  try {
    await body({ coordinator, control, clock, advance });
  } finally {
    await coordinator.close();
  }
}
