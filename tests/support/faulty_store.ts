/**
 * A shard store whose commits and reads fail when a test says so.
 * Invariant: everything else is the real store's.
 */

import type { Batch, ShardStore } from "../../coordinator/ports.ts";

/** before: nothing was committed. after: it was, but the answer is lost. */
export type CommitFault = "before" | "after";

export class Faults {
  commit: CommitFault | undefined;
  /** The next call of this read fails. */
  read: "seenBlocks" | "readReady" | "load" | "earlierCaptures" | undefined;
  commits = 0;
}

/** Puts `faults` between a frontier and its store. */
export function faultyStore(store: ShardStore, faults: Faults): ShardStore {
  const failing = (name: string) => {
    if (faults.read !== name) return;
    faults.read = undefined;
    throw new Error(`Reading ${name}: the connection is lost.`);
  };
  return {
    open: (owner, keyVersion, overTerm) => store.open(owner, keyVersion, overTerm),
    beat: (wallMs) => store.beat(wallMs),
    giveBack: () => store.giveBack(),
    async load() {
      failing("load");
      return await store.load();
    },
    async commit(batch: Batch) {
      faults.commits++;
      const { commit } = faults;
      faults.commit = undefined;
      if (commit === "before") throw new Error("Committing: the disk is full.");
      await store.commit(batch);
      if (commit === "after") throw new Error("Committing: the answer is lost.");
    },
    lastBatchSeq: () => store.lastBatchSeq(),
    async readReady(queue, after, limit) {
      failing("readReady");
      return await store.readReady(queue, after, limit);
    },
    readWaiting: (queue, until, limit) => store.readWaiting(queue, until, limit),
    urls: (keys) => store.urls(keys),
    receivedBefore: (rows) => store.receivedBefore(rows),
    readOutbox: (limit) => store.readOutbox(limit),
    outboxRows: (names) => store.outboxRows(names),
    robotsBody: (digest) => store.robotsBody(digest),
    captures: (prefix, afterSeq, limit) => store.captures(prefix, afterSeq, limit),
    readyBefore: (queue, place, limit) => store.readyBefore(queue, place, limit),
    lookUp: (keys) => store.lookUp(keys),
    capturesOfContent: (hash, limit) => store.capturesOfContent(hash, limit),
    readSettled: (crawlId, from, limit) => store.readSettled(crawlId, from, limit),
    async earlierCaptures(names) {
      failing("earlierCaptures");
      return await store.earlierCaptures(names);
    },
    seenState: () => store.seenState(),
    seenLog: (batchSeq, limit) => store.seenLog(batchSeq, limit),
    async seenBlocks(ids) {
      failing("seenBlocks");
      return await store.seenBlocks(ids);
    },
    seenPart: (part) => store.seenPart(part),
    slotMarks: () => store.slotMarks(),
    slotPage: (slot, cursor, limit) => store.slotPage(slot, cursor, limit),
    slotQueues: (slot) => store.slotQueues(slot),
    close: () => store.close(),
  };
}
