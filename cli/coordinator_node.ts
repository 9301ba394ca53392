/**
 * Wires the control plane: libSQL stores in a data folder, the frontier on top.
 */

import type { Core } from "../core-wasm/core.ts";
import { openCoordinator } from "../coordinator/frontier/coordinator.ts";
import type { FrontierSettings } from "../coordinator/frontier/settings.ts";
import type { ControlStore, Coordinator } from "../coordinator/ports.ts";
import { openLibsqlControlStore } from "../coordinator/store/libsql_control_store.ts";
import { openLibsqlShardStore } from "../coordinator/store/libsql_shard_store.ts";
import { systemFiles } from "../runtime/files.ts";
import { folderBlobs } from "../runtime/folder_blobs.ts";
import { nativeDigest, systemClock, systemRandom } from "../runtime/node.ts";
import type { Logger } from "../runtime/ports.ts";
import { dataPaths } from "./data_folder.ts";
import { Fault } from "./fault.ts";

export interface CoordinatorNodeOptions {
  readonly core: Core;
  readonly log: Logger;
  readonly folder: string;
  readonly shards: number;
  readonly settings: Partial<FrontierSettings>;
  /** Folder of the blob store that copies of the seen-set's filters go to; absent = nowhere. */
  readonly blobs?: string;
}

export interface CoordinatorNode {
  readonly coordinator: Coordinator;
  /** The store that the coordinator uses too: idempotency keys of the API lie there. */
  readonly control: ControlStore;
}

/** Opens or makes the databases. Throws a Fault whose sentence names the file that is in the way. */
export async function openCoordinatorNode(options: CoordinatorNodeOptions): Promise<CoordinatorNode> {
  const { core, log, folder, shards, settings } = options;
  const paths = dataPaths(folder);
  const control = openLibsqlControlStore({ location: paths.control });
  try {
    const coordinator = await openCoordinator({
      core,
      log,
      settings,
      clock: systemClock,
      random: systemRandom,
      digest: nativeDigest,
      ...(options.blobs === undefined ? {} : { blobs: folderBlobs(systemFiles, options.blobs) }),
      controlStore: control,
      shardStores: Array.from(
        { length: shards },
        (_, index) => openLibsqlShardStore({ location: paths.shard(index), clock: systemClock }),
      ),
    });
    return { coordinator, control };
  } catch (error) {
    throw new Fault((error as Error).message);
  }
}
