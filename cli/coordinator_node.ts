/**
 * Wires the control plane: libSQL stores in a data folder, the frontier on top.
 */

import type { Core } from "../core-wasm/core.ts";
import { openCoordinator } from "../coordinator/frontier/coordinator.ts";
import type { FrontierSettings } from "../coordinator/frontier/settings.ts";
import type { OperatorStore } from "../coordinator/operator_ports.ts";
import type { ControlStore, Coordinator } from "../coordinator/ports.ts";
import type { ShardAdmin } from "../coordinator/slot_ports.ts";
import { isUrl } from "../coordinator/store/libsql_client.ts";
import { openLibsqlControlStore } from "../coordinator/store/libsql_control_store.ts";
import { openLibsqlShardReader } from "../coordinator/store/libsql_shard_reader.ts";
import { type LibsqlShardOptions, openLibsqlShardStore } from "../coordinator/store/libsql_shard_store.ts";
import { systemFiles } from "../runtime/files.ts";
import { hmacSigner, nativeDigest, systemClock, systemRandom } from "../runtime/node.ts";
import type { BlobStore, Logger } from "../runtime/ports.ts";
import { checkEvenSlots } from "./cluster_folder.ts";
import type { ClusterPlaces } from "./cluster_flags.ts";
import { dataPaths } from "./data_folder.ts";
import { Fault } from "./fault.ts";
import { robotsJudge } from "./robots_judge.ts";

export interface CoordinatorNodeOptions {
  readonly core: Core;
  readonly log: Logger;
  readonly folder: string;
  readonly shards: number;
  readonly settings: Partial<FrontierSettings>;
  /** The blob store that copies of the seen-set's filters go to; absent = nowhere. */
  readonly blobs?: BlobStore;
  /** Opens listings in another thread; absent = they share the connection that commits. */
  readonly reader?: LibsqlShardOptions["reader"];
  /** Connects to files in other threads; absent = in this one. */
  readonly thread?: LibsqlShardOptions["thread"];
}

export interface CoordinatorNode {
  readonly coordinator: Coordinator;
  /** The store that the coordinator uses too: idempotency keys, tokens and the audit log of the API lie there. */
  readonly control: ControlStore & OperatorStore;
  /** Undefined: it is the only coordinator, so shards are neither added nor moved. */
  readonly shards?: ShardAdmin;
}

/** One of several coordinators, on databases that all of them reach. Throws a Fault. */
export async function openClusterNode(
  options: Omit<CoordinatorNodeOptions, "folder" | "shards">,
  places: ClusterPlaces,
): Promise<CoordinatorNode> {
  const at = (location: string) => ({
    location,
    thread: options.thread,
    ...(isUrl(location) ? { authToken: places.authToken } : {}),
  });
  // A thread of its own lists files; a server keeps nobody waiting.
  const listing = (location: string) => isUrl(location) || !options.reader ? {} : { reader: options.reader };
  const control = openLibsqlControlStore(at(places.control));
  try {
    await control.open();
    const secret = await control.directory.secret(systemRandom.hex(32));
    const openReader = (location: string) => openLibsqlShardReader(at(location));
    const coordinator = await openCoordinator({
      ...surroundings(options),
      signer: hmacSigner(secret),
      controlStore: control,
      cluster: {
        store: control,
        url: places.url,
        locations: places.shards,
        times: places.times,
        openStore: (location) => openLibsqlShardStore({ ...at(location), clock: systemClock, ...listing(location) }),
        openReader,
      },
      slots: { directory: control.directory, openReader },
    });
    return { coordinator, control, ...(coordinator.slots && { shards: coordinator.slots.admin }) };
  } catch (error) {
    await control.close();
    throw new Fault((error as Error).message);
  }
}

/** Opens or makes the databases. Throws a Fault whose sentence names the file that is in the way. */
export async function openCoordinatorNode(options: CoordinatorNodeOptions): Promise<CoordinatorNode> {
  const { folder, shards, thread } = options;
  const paths = dataPaths(folder);
  const reading = options.reader === undefined ? {} : { reader: options.reader };
  const control = openLibsqlControlStore({ location: paths.control, thread });
  try {
    await checkEvenSlots(folder, control);
    await checkShards(folder, shards, control);
    const coordinator = await openCoordinator({
      ...surroundings(options),
      controlStore: control,
      shardStores: Array.from(
        { length: shards },
        (_, index) => openLibsqlShardStore({ location: paths.shard(index), clock: systemClock, thread, ...reading }),
      ),
    });
    return { coordinator, control };
  } catch (error) {
    await control.close();
    throw new Fault((error as Error).message);
  }
}

/** What a coordinator has of this process, whatever its databases. */
function surroundings(
  { core, log, settings, blobs }: Pick<CoordinatorNodeOptions, "core" | "log" | "settings" | "blobs">,
) {
  return {
    core,
    log,
    settings,
    clock: systemClock,
    random: systemRandom,
    digest: nativeDigest,
    robots: robotsJudge,
    ...(blobs === undefined ? {} : { blobs }),
  };
}

/** A data folder keeps the shards that it was made with: with fewer or more, slots would be looked for where they aren't. */
async function checkShards(folder: string, shards: number, control: ControlStore): Promise<void> {
  const paths = dataPaths(folder);
  const names = (await systemFiles.list(folder)).filter((name) => /^frontier-\d+\.db$/.test(name));
  const wanted = Array.from({ length: shards }, (_, index) => paths.shard(index).slice(folder.length + 1));
  const isWhole = wanted.every((name) => names.includes(name));
  if (names.length === shards && isWhole) return;
  const isNew = wanted.length > names.length && !await holdsCrawls(paths.control, control);
  if (isNew && names.every((name) => wanted.includes(name))) return;
  throw new Error(
    `Opening the frontier with ${shards === 1 ? "1 shard" : `${shards} shards`} failed: ${folder} holds ` +
      `${names.join(", ") || "none"}; wanted ${
        wanted.join(", ")
      }. The number of shards can't change; a file that was ` +
      "lost has to be restored.",
  );
}

/** False: no crawl was ever created, so a start that was cut short may have made some of the databases only. */
async function holdsCrawls(path: string, control: ControlStore): Promise<boolean> {
  if (await systemFiles.size(path) === undefined) return false;
  await control.open();
  return (await control.crawls()).length > 0;
}
