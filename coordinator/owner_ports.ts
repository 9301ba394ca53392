/**
 * Who owns which shard: what several coordinators know of each other, and what is said to whom asks the wrong one.
 * Invariant: coordinators never talk to each other; they share the control database, which is a directory, and each
 * shard's own database, whose owner term is the fence.
 */

import type { CrawlId, SlotMap } from "../protocol/mod.ts";

/** Another process owns the shard now: stop at once, change nothing more. */
export class OwnerLost extends Error {
  override readonly name = "OwnerLost";
}

/**
 * A request that names a slot, host or shard which this process doesn't own (HTTP: 421). Whoever asked goes to the owner
 * that the map names, or asks again later.
 */
export class NotOwned extends Error {
  override readonly name = "NotOwned";
  readonly shard: number;
  readonly map: SlotMap;

  constructor(shard: number, map: SlotMap) {
    const owner = map.owners?.[shard]?.url ?? "";
    super(
      `Asking for something of shard ${shard}: this coordinator doesn't own it; wanted its owner, ` +
        (owner === "" ? "of which nothing is known yet; ask again." : `the coordinator at ${owner}`),
    );
    this.shard = shard;
    this.map = map;
  }
}

/** An operator's word is durable, but some coordinators haven't said in time that they obey it (HTTP: 503). */
export class NotObeyed extends Error {
  override readonly name = "NotObeyed";

  constructor(urls: readonly string[], waitedMs: number) {
    super(
      `Making all coordinators obey: the change is durable, but ${urls.join(", ")} didn't say within ` +
        `${waitedMs / 1000} s that it is obeyed there; ask again, or stop that process.`,
    );
  }
}

/** One process in the directory. It writes its row itself, about once a second. */
export interface CoordinatorEntry {
  /** Made at its start: another one after a restart. */
  readonly id: string;
  /** Base URL under which edges and operators reach its API. */
  readonly url: string;
  /** Grows with each write: whoever watches it stand still for long enough knows that the process is dead or cut off. */
  readonly beat: number;
  /** The newest `changes` of the directory that all its shards obey. */
  readonly applied: number;
  /** After which silence it gives others up, ms: it has to be the same for all. Absent: not said. */
  readonly ownerTtlMs?: number;
  /** Shards that it owns, with the term of each. */
  readonly shards: readonly { readonly shard: number; readonly term: number }[];
}

/** A slot on its way from one shard to another. */
export interface SlotMove {
  readonly slot: number;
  readonly from: number;
  readonly to: number;
  /**
   * `freezing`: the old shard leases nothing of it any more. `drained`: no lease of it is out and its rows stand still.
   * `copied`: its rows are durable in the new shard, and the map says so; the old ones are deleted.
   */
  readonly state: "freezing" | "drained" | "copied";
}

/** What a shard's owner says of the pages of a crawl's `max_pages` that the shard holds. */
export interface AllotmentClaim {
  readonly crawlId: CrawlId;
  readonly shard: number;
  /** Its owner term, and a number that grows with each claim under it: an older claim that comes late changes nothing. */
  readonly term: number;
  readonly version: number;
  /** Pages that it fetched or has leased: these it holds in any case. */
  readonly used: number;
  /** Pages that it wants to hold, those that it used included. */
  readonly pages: number;
  /** The crawl's `max_pages`. */
  readonly limit: number;
}

/** Page limits, shared out among the shards. Invariant: what all shards hold together exceeds the limit only by what was used before it was lowered. */
export interface AllotmentStore {
  /**
   * The pages that the shard holds now: what it asks for, or as much of it as others leave. Rejects with OwnerLost when an
   * owner with a newer term made a claim. May be repeated.
   */
  claim(claim: AllotmentClaim): Promise<number>;
}

/** The directory as one read finds it. */
export interface DirectoryView {
  /** Grows with each change of a crawl, the slot map or the moves. */
  readonly changes: number;
  readonly slotMap: SlotMap;
  /** Where each shard's database is: a path or a URL without token. */
  readonly locations: readonly string[];
  readonly coordinators: readonly CoordinatorEntry[];
  readonly moves: readonly SlotMove[];
  /** Slots move until every shard has as many. */
  readonly spreading: boolean;
}

/** What the control store has beside crawls. */
export interface ClusterStore {
  readonly directory: DirectoryStore;
  readonly allotments: AllotmentStore;
}

/** Shared by all coordinators: tables of the control database. Every write is one statement or one transaction, and may be repeated. */
export interface DirectoryStore {
  read(): Promise<DirectoryView>;
  /** Shares the slots out evenly among shards at these places, unless that was done before. */
  found(locations: readonly string[]): Promise<void>;
  /** Writes the process' own row. */
  announce(entry: CoordinatorEntry): Promise<void>;
  /** Removes the row of a process that ends, or is known to be dead. */
  withdraw(id: string): Promise<void>;
  /** The next shard, without a slot yet; the same location again is the same shard. Returns its index. */
  addShard(location: string): Promise<number>;
  /** False: another move of the slot is under way, it isn't at `from`, or there is no shard `to`. */
  beginMove(move: Omit<SlotMove, "state">): Promise<boolean>;
  /** Whether slots move until every shard has as many; kept until it is said otherwise. */
  spread(isWanted: boolean): Promise<void>;
  /** Changes nothing unless the move is `freezing`. */
  markDrained(slot: number): Promise<void>;
  /**
   * The map with the slot at its new shard, one version on, and the move's state `copied`, in one transaction. Rejects when
   * no move of the slot is `drained` or `copied`.
   */
  finishCopy(slot: number): Promise<SlotMap>;
  /** Forgets a move that is `copied`; changes nothing otherwise. */
  endMove(slot: number): Promise<void>;
  /** A crawl changed: all look again. */
  bump(): Promise<void>;
  /** A secret of 32 random bytes (hex) that all coordinators of this directory share; made by the first. */
  secret(proposal: string): Promise<string>;
}
