/**
 * Wires the control plane: libSQL stores in a data folder, the frontier on top.
 */

import type { Core } from "../core-wasm/core.ts";
import { openCoordinator } from "../coordinator/frontier/coordinator.ts";
import type { FrontierSettings } from "../coordinator/frontier/settings.ts";
import type { Coordinator } from "../coordinator/ports.ts";
import { openLibsqlControlStore } from "../coordinator/store/libsql_control_store.ts";
import { openLibsqlShardStore } from "../coordinator/store/libsql_shard_store.ts";
import { systemClock, systemRandom } from "../runtime/node.ts";
import type { Logger } from "../runtime/ports.ts";
import { dataPaths } from "./data_folder.ts";
import { Fault } from "./fault.ts";

export interface CoordinatorNodeOptions {
  readonly core: Core;
  readonly log: Logger;
  readonly folder: string;
  readonly shards: number;
  readonly settings: Partial<FrontierSettings>;
}

/** Opens or makes the databases. Throws a Fault whose sentence names the file that is in the way. */
export async function openCoordinatorNode(options: CoordinatorNodeOptions): Promise<Coordinator> {
  const { core, log, folder, shards, settings } = options;
  const paths = dataPaths(folder);
  try {
    return await openCoordinator({
      core,
      log,
      settings,
      clock: systemClock,
      random: systemRandom,
      controlStore: openLibsqlControlStore({ location: paths.control }),
      shardStores: Array.from(
        { length: shards },
        (_, index) => openLibsqlShardStore({ location: paths.shard(index), clock: systemClock }),
      ),
    });
  } catch (error) {
    throw new Fault((error as Error).message);
  }
}
