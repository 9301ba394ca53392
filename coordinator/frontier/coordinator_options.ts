/**
 * What a coordinator is made of.
 * Invariant: only what is given here reaches the frontier from outside.
 */

import type { Core } from "../../core-wasm/core.ts";
import type { BlobStore, Clock, Digest, Logger, Random, Signer } from "../../runtime/ports.ts";
import type { RobotsJudge } from "../explain_ports.ts";
import type { ControlStore, ShardStore } from "../ports.ts";
import type { ShardOwner, SlotMap } from "../../protocol/mod.ts";
import { AddressDirectory } from "./clocks/address_directory.ts";
import type { ClusterOptions } from "./cluster/keeper.ts";
import { CrawlBook } from "./crawls/crawl.ts";
import type { SlotOfficeOptions } from "./handover/slot_office.ts";
import { HostDirectory } from "./host_directory.ts";
import { type FrontierSettings, frontierSettings } from "./settings.ts";
import type { FrontierParts, Shard } from "./shard.ts";
import { ShardBook } from "./shard_book.ts";

export interface CoordinatorOptions {
  readonly core: Core;
  /** One per shard; the slots are shared out evenly among them. Undefined: another coordinator has that shard. */
  readonly shardStores?: readonly (ShardStore | undefined)[];
  /** In place of them: this is one of several coordinators, which take shards by the directory. */
  readonly cluster?: ClusterOptions;
  readonly controlStore: ControlStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly digest: Digest;
  /** How edges judge by a robots.txt, to explain it; absent = that isn't explained. */
  readonly robots?: RobotsJudge;
  readonly log: Logger;
  readonly settings?: Partial<FrontierSettings>;
  /** Where copies of the seen-set's filters go, so that another node can take a shard; absent = nowhere. */
  readonly blobs?: BlobStore;
  /** The slot map, where it isn't the even one of the first start. */
  readonly slotMap?: SlotMap;
  /** Where slots are moved, and how a shard of another coordinator is read; absent = as `cluster` has it, or none moves. */
  readonly slots?: SlotOfficeOptions;
  /** Signs what other coordinators are told by way of edges; wanted where there are others. */
  readonly signer?: Signer;
  /** Who has which shard, for as long as nothing newer is known. */
  readonly owners?: readonly ShardOwner[];
}

/** Nothing of it is open yet. `silence`: see ClusterWord. */
export function frontierParts(
  { core, clock, random, digest, log, blobs, cluster, shardStores, ...options }: CoordinatorOptions,
  { id, silence }: { readonly id: string; readonly silence: () => string },
): FrontierParts {
  const shards: (Shard | undefined)[] = [];
  const book = new ShardBook(shardStores?.length ?? 0, shards);
  if (options.slotMap !== undefined) book.learn(options.slotMap);
  if (options.owners !== undefined) book.learn({ ...book.map, owners: options.owners });
  const settings = frontierSettings(options.settings);
  return {
    id,
    core,
    clock,
    random,
    digest,
    ...(options.robots === undefined ? {} : { robots: options.robots }),
    log,
    book,
    settings,
    crawls: new CrawlBook(),
    directory: new HostDirectory(core, book),
    ...(blobs === undefined ? {} : { blobs }),
    ...(options.signer === undefined ? {} : { signer: options.signer }),
    ...(cluster === undefined ? {} : { cluster: { silence } }),
    addresses: new AddressDirectory(core, book, settings.exemptAddresses),
    shards,
  };
}
