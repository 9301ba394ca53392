/**
 * The old shard's steps: a slot is frozen, drained, left, and its rows are deleted.
 * Invariant: each step is a commit of this shard, behind its fence, so that two owners who both believe can't differ on
 * it; a slot that has left stays marked, so that a process with an old slot map doesn't begin it anew.
 */

import type { CrawlId } from "../../../protocol/mod.ts";
import type { SlotMark } from "../../slot_ports.ts";
import { dropSlot } from "./drop_slot.ts";
import type { Operation } from "../round.ts";
import type { Shard } from "../shard.ts";

/** Nothing of the slot is leased, and nothing new let in, from the answer on. */
export function freezeOperation(mark: Omit<SlotMark, "state">): Operation<void> {
  return {
    apply({ shard, now }) {
      if (shard.marks.has(mark.slot)) return;
      shard.mark({ ...mark, state: "freezing" });
      for (const host of shard.hosts.values()) if (host.slot === mark.slot) shard.reschedule(host, now);
    },
  };
}

/** True: no lease of the slot is out, no request by permit may be under way on a host of it, and its rows stand still. */
export function drainOperation(slot: number): Operation<boolean> {
  return {
    apply({ shard, now }) {
      const mark = shard.marks.get(slot);
      if (mark?.state !== "freezing") return mark?.state === "drained";
      if (isBusy(shard, slot, now)) return false;
      for (const tally of shard.tallies.takeLateOf(slot)) shard.batch.changeTally(tally);
      writeTimes(shard, slot, now);
      shard.mark({ ...mark, state: "drained" });
      return true;
    },
  };
}

/** What is to come: the store may still have it by the clock of an earlier owner. */
function writeTimes({ hosts, domains, addresses, batch }: Shard, slot: number, now: number): void {
  for (const host of hosts.values()) if (host.slot === slot && host.nextStartAt > now) batch.changeHost(host);
  for (const row of domains.rowsOf(slot)) batch.changeDomain(row);
  for (const row of addresses.rowsOf(slot)) batch.changeAddress(row);
}

function isBusy(shard: Shard, slot: number, now: number): boolean {
  for (const { host } of shard.leases.values()) if (host.slot === slot) return true;
  for (const host of shard.hosts.values()) {
    if (host.slot === slot && host.visit !== undefined && host.visit.until > now) return true;
  }
  return false;
}

/** The new shard has all of it: what was unsettled is counted there. */
export function leaveOperation(slot: number): Operation<void> {
  return {
    apply({ shard }) {
      const mark = shard.marks.get(slot);
      if (mark?.state !== "drained") return;
      shard.mark({ ...mark, state: "leaving" });
      for (const [crawlId, count] of unsettled(shard, slot)) shard.changeCounts(crawlId).accepted -= count;
      dropSlot(shard, slot);
    },
  };
}

function unsettled(shard: Shard, slot: number): Map<CrawlId, number> {
  const counts = new Map<CrawlId, number>();
  for (const host of shard.hosts.values()) {
    if (host.slot !== slot) continue;
    for (const { crawlId, ready, waiting } of host.queues) {
      if (ready + waiting > 0) counts.set(crawlId, (counts.get(crawlId) ?? 0) + ready + waiting);
    }
  }
  return counts;
}

/** Deletes some rows of a slot of which nothing is in RAM. */
export function deleteOperation(slot: number, rows: number): Operation<void> {
  return {
    apply({ shard }) {
      const mark = shard.marks.get(slot);
      const isToGo = mark?.state === "leaving" || (mark?.state === "arriving" && mark.cursor === undefined);
      if (isToGo) shard.batch.deleteSlotRows(slot, rows);
    },
  };
}

/** Nothing of it is left. */
export function leftOperation(slot: number): Operation<void> {
  return {
    apply({ shard }) {
      const mark = shard.marks.get(slot);
      if (mark?.state === "leaving") shard.mark({ ...mark, state: "left" });
    },
  };
}
