/**
 * How a slot goes from one shard's database to another's: what each of the two keeps of it, and what the new one reads of
 * the old one.
 * Invariant: a shard that has a mark of a slot doesn't work on it, whatever its process believes of the slot map; marks
 * change with the shard's commits, so its fence holds for them too. A slot's rows stand still from `drained` on.
 */

import type { LeaseId } from "../protocol/mod.ts";
import type { SlotMove } from "./owner_ports.ts";
import type { AddressRow, DomainRow } from "./group_ports.ts";
import type { BackQueueSummary } from "./back_queue_summary.ts";
import type { HostRow, OriginRow, UrlRow } from "./ports.ts";
import type { TallyRow } from "./tally_row.ts";

/** Asking for a change of something that is on its way to another shard (HTTP: 503). A few seconds later its new owner does it. */
export class SlotMoving extends Error {
  override readonly name = "SlotMoving";

  constructor(slot: number) {
    super(`Asking for something of slot ${slot}: it is on its way to another shard; ask again in a few seconds.`);
  }
}

/**
 * What a shard's own database says of a slot that isn't its to work on.
 * In the old shard: `freezing` (leases of it may be out still), `drained` (none is, and its rows stand still), `leaving`
 * (the new shard has it; its rows are being deleted), `left` (they are gone; this stays until the slot comes back).
 * In the new shard: `arriving` (rows up to `cursor` are here), `arrived` (all are; the slot map may say so).
 */
export interface SlotMark {
  readonly slot: number;
  readonly state: "freezing" | "drained" | "leaving" | "left" | "arriving" | "arrived";
  /** The other shard of the move. */
  readonly other: number;
  /** Version of the slot map when the move began: only a newer one can speak of its end. */
  readonly mapVersion: number;
  /** Of `arriving`: where the copy goes on; absent = nothing of it is here yet. */
  readonly cursor?: SlotCursor;
  /**
   * Of `drained`, `arriving` and `arrived`: ms that its rows' times may be behind the shard's owner, whose clock is ahead of
   * who drained or copied it. Absent = 0.
   */
  readonly aheadMs?: number;
}

/** The tables of a slot, in the order in which they are copied. */
export const SLOT_TABLES = ["url", "host", "origin", "domain", "address", "tally", "received", "end"] as const;

/** A place in a slot's rows: those of `table` after the key `after`. An empty key is before all. */
export interface SlotCursor {
  readonly table: (typeof SLOT_TABLES)[number];
  /** As the store that was read wrote it. */
  readonly after: readonly string[];
}

/** A row of another shard's outbox that came in, named as that shard does. */
export interface ReceivedRow {
  /** That of the outbox row. */
  readonly slot: number;
  readonly leaseId: LeaseId;
  readonly seq: number;
}

/** Rows of one slot, of one table at a time. Captures aren't among them: they stay where they were acknowledged. */
export interface SlotPage {
  /** Of all crawls, in any state. */
  readonly urls: readonly UrlRow[];
  readonly hosts: readonly HostRow[];
  readonly origins: readonly OriginRow[];
  /** Those that the origins of this page name. */
  readonly robotsBodies: readonly { readonly digest: string; readonly body: string }[];
  readonly domains: readonly DomainRow[];
  readonly addresses: readonly AddressRow[];
  /** But for those of no one host. */
  readonly tallies: readonly TallyRow[];
  readonly received: readonly ReceivedRow[];
  /** The place after this page; its table is `end` when nothing can follow. */
  readonly next: SlotCursor;
}

export const EMPTY_PAGE: Omit<SlotPage, "next"> = {
  urls: [],
  hosts: [],
  origins: [],
  robotsBodies: [],
  domains: [],
  addresses: [],
  tallies: [],
  received: [],
};

/** What can be read of a shard's slots, by its owner and by others. */
export interface SlotSource {
  slotMarks(): Promise<SlotMark[]>;
  /** At most `limit` rows (and what hangs off them) from the cursor on; undefined = from the beginning. */
  slotPage(slot: number, cursor: SlotCursor | undefined, limit: number): Promise<SlotPage>;
  /** The slot's back queues, as ShardSnapshot has them. */
  slotQueues(slot: number): Promise<BackQueueSummary[]>;
}

/** What a commit changes of slots as a whole. Absent parts change nothing. */
export interface SlotWrites {
  readonly marks?: readonly SlotMark[];
  /** Slots whose marks go. */
  readonly endedMarks?: readonly number[];
  /** Deletes up to `rows` rows of each of the slot's tables; URLs first, the others once no URL is left. */
  readonly deletion?: { readonly slot: number; readonly rows: number };
}

/** The shards as an operator sees them. */
export interface ShardsView {
  readonly mapVersion: number;
  /** Slots move until every shard has as many. */
  readonly spreading: boolean;
  readonly moves: readonly SlotMove[];
  readonly shards: readonly {
    readonly shard: number;
    readonly location: string;
    /** "" = nobody, or this coordinator where it is the only one. */
    readonly ownerUrl: string;
    readonly slots: number;
    /** URLs that it ever accepted; absent = another coordinator knows. */
    readonly urls?: number;
    /** A slot that holds most of them, with its share: it can't be split, and isn't moved by itself. */
    readonly giant?: { readonly slot: number; readonly share: number };
  }[];
}

/** `unknown`: there is no such slot or shard. `moving`: another move of it is under way. `there`: it is there already. */
export type MoveAnswer =
  | { readonly status: "begun"; readonly from: number }
  | { readonly status: "moving"; readonly to: number }
  | { readonly status: "unknown" }
  | { readonly status: "there" };

/** The database that was named for a further shard can't be one. */
export class UnfitDatabase extends Error {}

/** What operators ask of shards and slots. */
export interface ShardAdmin {
  shards(): Promise<ShardsView>;
  /** A database for a further shard, to which slots move until all have as many. The same one again is the same shard. Rejects with UnfitDatabase. */
  addShard(location: string): Promise<number>;
  /** Spreading ends: the slot stays where it was sent. */
  moveSlot(slot: number, to: number): Promise<MoveAnswer>;
}
