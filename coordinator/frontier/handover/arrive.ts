/**
 * The new shard's steps: a slot begins to come, has come, and is worked on.
 * Invariant: nothing of the slot is in RAM, or leased, before the slot map says that it is this shard's and its mark is
 * gone. What it holds unsettled is counted here before the old shard takes it from its own counts, so the sum over all
 * shards is never too small: no crawl ends early.
 */

import type { BackQueueSummary } from "../../ports.ts";
import type { SlotMark } from "../../slot_ports.ts";
import { addTo } from "../counters.ts";
import { loadSlot, type SlotState } from "../load.ts";
import type { Operation } from "../round.ts";
import { shifted } from "./shift.ts";

/** What other shards' hosts were refused for is counted without their names from here on. */
export function beginArrival(mark: Omit<SlotMark, "state">): Operation<void> {
  return {
    apply({ shard }) {
      const known = shard.marks.get(mark.slot);
      if (known !== undefined && known.state !== "left") return;
      shard.mark({ ...mark, state: "arriving" });
      for (const { crawlId, rejectedByReason } of shard.tallies.dropSlot(mark.slot, () => false)) {
        const all = shard.tallies.of({ slot: 0, crawlId, host: "" });
        for (const [reason, count] of Object.entries(rejectedByReason)) addTo(all.rejectedByReason, reason, count);
        shard.tallies.changeLater(all);
      }
      // A shard that has slots knows every crawl.
      for (const { id } of shard.parts.crawls.all()) shard.changeCounts(id);
    },
  };
}

/** All rows are here. `queues` are the slot's, as the store sums them up. */
export function arrivedOperation(slot: number, queues: readonly BackQueueSummary[]): Operation<void> {
  return {
    apply({ shard }) {
      const mark = shard.marks.get(slot);
      if (mark?.state !== "arriving" || mark.cursor?.table !== "end") return;
      const { cursor: _, ...rest } = mark;
      shard.mark({ ...rest, state: "arrived" });
      for (const { crawlId, ready, waiting } of queues) {
        if (ready + waiting > 0) shard.changeCounts(crawlId).accepted += ready + waiting;
      }
    },
  };
}

/** The slot map says that the slot is here: it is worked on from now on. `state` is what the store holds of it. */
export function thawOperation(slot: number, state: SlotState): Operation<void> {
  return {
    apply({ shard, now }) {
      const mark = shard.marks.get(slot);
      if (mark?.state !== "arrived") return;
      shard.unmark(slot);
      const { aheadMs = 0 } = mark;
      for (const host of loadSlot(shard, shifted(state, aheadMs))) {
        shard.reschedule(host, now);
        // As it stands in the store the mark was needed to read it.
        if (aheadMs > 0 && host.nextStartAt > now) shard.batch.changeHost(host);
      }
    },
  };
}
