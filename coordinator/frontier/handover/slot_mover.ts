/**
 * Carries slots from shard to shard, as the directory says: each coordinator does the steps of the shards that it owns.
 * Invariant: every step may be repeated, by this process or by the next owner, and follows from what is durable: the
 * directory's move and the two shards' marks. The order is: frozen and drained in the old shard, copied into the new one,
 * the map flipped, worked on in the new one, deleted in the old one.
 */

import type { DirectoryStore, DirectoryView, SlotMove } from "../../owner_ports.ts";
import { shardOf } from "../../../protocol/mod.ts";
import type { SlotMark, SlotPage, SlotSource } from "../../slot_ports.ts";
import { CopyOperation } from "./arrival.ts";
import { arrivedOperation, beginArrival, thawOperation } from "./arrive.ts";
import type { ShardReader } from "../../reader_ports.ts";
import { deleteOperation, drainOperation, freezeOperation, leaveOperation, leftOperation } from "./leave.ts";
import type { SlotState } from "../load.ts";
import { shifted } from "./shift.ts";
import { giantOf, nextPair, slotsPerShard, slotToGive, urlsPerSlot } from "./spread.ts";
import type { FrontierParts } from "../shard.ts";
import type { ShardWriter } from "../writer.ts";

export interface SlotMoverOptions {
  readonly parts: FrontierParts;
  readonly directory: DirectoryStore;
  /** A look into the shard at this place, which another process owns; closed after use. */
  readonly openReader: (location: string) => ShardReader;
  /** Rows that one commit copies or deletes; absent = ROWS_PER_COMMIT. */
  readonly rowsPerCommit?: number;
}

const ROWS_PER_COMMIT = 500;
/** Steps that one tick takes when each leads to the next. */
const STEPS_PER_TICK = 64;

export class SlotMover {
  readonly #parts: FrontierParts;
  readonly #directory: DirectoryStore;
  readonly #openReader: SlotMoverOptions["openReader"];
  readonly #rows: number;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor({ parts, directory, openReader, rowsPerCommit = ROWS_PER_COMMIT }: SlotMoverOptions) {
    this.#parts = parts;
    this.#directory = directory;
    this.#openReader = openReader;
    this.#rows = rowsPerCommit;
  }

  /**
   * Does what can be done now; resolves when nothing can, which for a large slot takes as long as its copy. While a tick is
   * under way others join it. A step that fails is logged and tried again by the next tick.
   */
  tick(view: DirectoryView): Promise<void> {
    return this.#running ??= this.#run(view).finally(() => this.#running = undefined);
  }

  /** No step begins any more; resolves when none is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #run(first: DirectoryView): Promise<void> {
    let view = first;
    for (let steps = 0; steps < STEPS_PER_TICK; steps++) {
      this.#learn(view);
      let changed = false;
      for (const move of view.moves) changed = await this.#attempt(move, view) || changed;
      await this.#thawAll(view);
      changed = await this.#spread(view) || changed;
      if (!changed || this.#isClosed) return;
      view = await this.#directory.read();
    }
  }

  /** Hosts that wait for an address may find it in another shard now. */
  #learn(view: DirectoryView): void {
    const { book, shards } = this.#parts;
    const before = book.map.version;
    book.learn(view.slotMap);
    if (book.map.version !== before) { for (const shard of shards) shard?.parkedAtAddress.openedAll(); }
  }

  /** True when the directory says something else now. */
  async #attempt(move: SlotMove, view: DirectoryView): Promise<boolean> {
    const { book, log } = this.#parts;
    const [from, to] = [book.find(move.from), book.find(move.to)];
    try {
      if (this.#isClosed) return false;
      if (from !== undefined && move.state === "freezing") return await this.#drain(from, move, view);
      if (to !== undefined && move.state === "drained") return await this.#fetch(to, move, view);
      if (from !== undefined && move.state === "copied") return await this.#leave(from, move, view);
    } catch (error) {
      log.warn("moving a slot failed; it is tried again", { ...move, error: String(error) });
    }
    return false;
  }

  /** Begins the next move where slots are to be spread and this process has the shard that gives. */
  async #spread({ spreading, moves, slotMap }: DirectoryView): Promise<boolean> {
    if (!spreading || moves.length > 0 || this.#isClosed) return false;
    const { book, log } = this.#parts;
    try {
      const pair = nextPair(slotMap);
      const giver = pair && book.find(pair.from);
      if (pair !== undefined && giver === undefined) return false;
      const giant = giver && giantOf(urlsPerSlot(giver.shard));
      const slot = pair && slotToGive(slotMap, pair.from, giant?.slot);
      if (pair !== undefined && slot !== undefined) return await this.#directory.beginMove({ slot, ...pair });
      await this.#directory.spread(false);
      log.info("slots are spread evenly", { slots: slotsPerShard(slotMap) });
    } catch (error) {
      log.warn("spreading slots failed; it is tried again", { error: String(error) });
    }
    return false;
  }

  async #drain(writer: ShardWriter, { slot, to }: SlotMove, { slotMap }: DirectoryView): Promise<boolean> {
    // Rows would stand still before all of them are queued again.
    if (!this.#parts.book.mayMove) return false;
    for (const { row } of this.#parts.crawls.all()) if ((row.recrawlBefore ?? 0) > 0) return false;
    await writer.submit(freezeOperation({ slot, other: to, mapVersion: slotMap.version }));
    if (!await writer.submit(drainOperation(slot))) return false;
    await this.#directory.markDrained(slot);
    return true;
  }

  /** Copies the slot and lets the map say so. */
  async #fetch(writer: ShardWriter, move: SlotMove, view: DirectoryView): Promise<boolean> {
    const { slot } = move;
    if (writer.shard.marks.get(slot)?.state !== "arrived" && !await this.#copyFrom(writer, move, view)) return false;
    await this.#directory.finishCopy(slot);
    return true;
  }

  async #copyFrom(writer: ShardWriter, move: SlotMove, view: DirectoryView): Promise<boolean> {
    const own = this.#parts.book.find(move.from);
    if (own !== undefined) {
      return await this.#copy(writer, move, {
        source: own.store,
        aheadMs: () => Promise.resolve(0),
      });
    }
    const reader = this.#openReader(view.locations[move.from]!);
    // What its owner committed last was no later than now: our clock is ahead by no more than the difference.
    const aheadMs = async () => this.#parts.clock.wallMs() - (await reader.look())!.ownerWallMs;
    try {
      return await this.#copy(writer, move, { source: reader, aheadMs });
    } finally {
      await reader.close();
    }
  }

  async #copy(
    writer: ShardWriter,
    { slot, from, to }: SlotMove,
    old: { readonly source: Pick<SlotSource, "slotMarks" | "slotPage">; readonly aheadMs: () => Promise<number> },
  ): Promise<boolean> {
    // Before the mark: when a takeover comes between, more is added, never less.
    const clockAheadMs = await old.aheadMs();
    const theirs = (await old.source.slotMarks()).find((mark) => mark.slot === slot);
    if (theirs?.state !== "drained" || theirs.other !== to) {
      throw new Error(
        `Copying slot ${slot} from shard ${from}: that shard says of it ${JSON.stringify(theirs ?? null)}; wanted it ` +
          `drained for shard ${to}.`,
      );
    }
    const { mapVersion } = theirs;
    await writer.submit(beginArrival({ slot, other: from, mapVersion }));
    if (markOf(writer, slot)?.cursor === undefined) await this.#empty(writer, slot);
    const aheadMs = clockAheadMs + (theirs.aheadMs ?? 0);
    for (let mark = markOf(writer, slot); mark?.cursor?.table !== "end"; mark = markOf(writer, slot)) {
      if (mark?.state !== "arriving") return mark?.state === "arrived";
      if (this.#isClosed) return false;
      const page = await old.source.slotPage(slot, mark.cursor, this.#rows);
      if (!this.#knowsAll(page)) return false;
      await writer.submit(new CopyOperation(slot, mark.cursor, shifted(page, aheadMs)));
    }
    await writer.submit(arrivedOperation(slot, await writer.store.slotQueues(slot)));
    return true;
  }

  /** A crawl that another coordinator created just now is learned of a little later. */
  #knowsAll({ urls }: SlotPage): boolean {
    return urls.every(({ crawlId }) => this.#parts.crawls.get(crawlId) !== undefined);
  }

  /** Shards of this process whose slots have come, as the map says too. */
  async #thawAll({ slotMap }: DirectoryView): Promise<void> {
    for (const writer of this.#parts.book.own) {
      const { shard } = writer;
      for (const { slot, state, mapVersion } of [...shard.marks.all()]) {
        if (state !== "arrived" || slotMap.version <= mapVersion || shardOf(slotMap, slot) !== shard.index) continue;
        try {
          await writer.submit(thawOperation(slot, await slotState(writer, slot, this.#rows)));
        } catch (error) {
          this.#parts.log.warn("taking a slot up failed; it is tried again", { slot, error: String(error) });
        }
      }
    }
  }

  async #leave(writer: ShardWriter, { slot }: SlotMove, { slotMap }: DirectoryView): Promise<boolean> {
    const mark = markOf(writer, slot);
    if (mark === undefined || slotMap.version <= mark.mapVersion) return false;
    await writer.submit(leaveOperation(slot));
    if (markOf(writer, slot)?.state === "leaving") {
      await this.#empty(writer, slot);
      if (this.#isClosed) return false;
      await writer.submit(leftOperation(slot));
    }
    if (markOf(writer, slot)?.state !== "left") return false;
    await this.#directory.endMove(slot);
    return true;
  }

  /** Deletes the slot's rows from the shard's own database. */
  async #empty(writer: ShardWriter, slot: number): Promise<void> {
    const { store } = writer;
    while (!this.#isClosed) {
      const { next } = await store.slotPage(slot, undefined, 1);
      if (next.table === "end" && (await store.slotQueues(slot)).length === 0) return;
      await writer.submit(deleteOperation(slot, this.#rows));
    }
  }
}

function markOf(writer: ShardWriter, slot: number): SlotMark | undefined {
  return writer.shard.marks.get(slot);
}

/** What the shard's own store holds of the slot, but for its URLs. */
export async function slotState({ store }: ShardWriter, slot: number, rows: number): Promise<SlotState> {
  const pages: SlotPage[] = [];
  for (let cursor: SlotPage["next"] = { table: "host", after: [] }; cursor.table !== "end";) {
    if (cursor.table === "received") break;
    const page = await store.slotPage(slot, cursor, rows);
    pages.push(page);
    cursor = page.next;
  }
  return {
    hosts: pages.flatMap((page) => page.hosts),
    origins: pages.flatMap((page) => page.origins),
    domains: pages.flatMap((page) => page.domains),
    addresses: pages.flatMap((page) => page.addresses),
    tallies: pages.flatMap((page) => page.tallies),
    backQueues: await store.slotQueues(slot),
  };
}
