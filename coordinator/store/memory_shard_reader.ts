/**
 * ShardReader on a shard in RAM: the executable specification.
 * Invariant: it changes nothing.
 */

import type { CrawlLook, ShardLook, ShardReader } from "../reader_ports.ts";
import { type MemoryShardDisk, MemoryShardStore } from "./memory_shard_store.ts";

export function memoryShardReader(disk: MemoryShardDisk): ShardReader {
  const store = new MemoryShardStore(disk);
  return {
    look: () => Promise.resolve(disk.keyVersion === undefined ? undefined : look(disk)),
    slotMarks: () => store.slotMarks(),
    slotPage: (slot, cursor, limit) => store.slotPage(slot, cursor, limit),
    lookUp: (keys) => store.lookUp(keys),
    robotsBody: (digest) => store.robotsBody(digest),
    captures: (prefix, afterSeq, limit) => store.captures(prefix, afterSeq, limit),
    capturesOfContent: (hash, limit) => store.capturesOfContent(hash, limit),
    close: () => Promise.resolve(),
  };
}

function look(disk: MemoryShardDisk): ShardLook {
  const crawls = new Map<string, CrawlLook>();
  const add = (crawlId: string, change: (known: CrawlLook) => CrawlLook) =>
    void crawls.set(crawlId, change(crawls.get(crawlId) ?? { crawlId, leases: 0, leasedPages: 0, outboxRows: 0 }));
  for (const counters of disk.counters.values()) add(counters.crawlId, (known) => ({ ...known, counters }));
  for (const { crawlId, fingerprints } of disk.leases.values()) {
    add(crawlId, (known) => ({
      ...known,
      leases: known.leases + 1,
      leasedPages: known.leasedPages + fingerprints.length,
    }));
  }
  for (const { crawl_id } of disk.outbox.values()) {
    add(crawl_id, (known) => ({ ...known, outboxRows: known.outboxRows + 1 }));
  }
  const { owner, ownerTerm, batchSeq, ownerWallMs } = disk;
  return { owner, ownerTerm, batchSeq, ownerWallMs, crawls: [...crawls.values()] };
}
