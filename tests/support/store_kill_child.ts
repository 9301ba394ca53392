/**
 * A process that commits to a shard until it is killed: batch n holds URLs and a capture that are functions of n alone.
 * Invariant: a number is printed only after its commit resolved.
 */

import { writeSync } from "node:fs";
import { argv } from "node:process";
import type { Batch } from "../../coordinator/ports.ts";
import { openLibsqlShardStore } from "../../coordinator/store/libsql_shard_store.ts";
import { systemClock } from "../../runtime/node.ts";
import { batch, captureRow, counters, hostRow, leaseRow, urlRow } from "./shard_rows.ts";

export const URLS_PER_BATCH = 25;

/** What batch `n` commits: new URLs, and the first URL of the batch before settled. */
export function killBatch(n: number): Batch {
  const seqs = Array.from({ length: URLS_PER_BATCH }, (_, i) => n * URLS_PER_BATCH + i);
  const settled = urlRow((n - 1) * URLS_PER_BATCH, { state: "done", httpCode: 200 });
  return batch(n, {
    newUrls: seqs.map((seq) => urlRow(seq)),
    changedUrls: n > 1 ? [settled] : [],
    hosts: [hostRow("a.example", { epoch: n })],
    leases: [leaseRow("a.example", { epoch: n })],
    captures: [captureRow(n, `w1/${n}.warc.gz`)],
    counters: [counters("default", { accepted: n * URLS_PER_BATCH, settled: n - 1 })],
  });
}

async function main(location: string): Promise<void> {
  const store = openLibsqlShardStore({ location, clock: systemClock, seenCacheEntries: 16 });
  await store.open("child", 1);
  let { batchSeq } = await store.load();
  writeSync(1, `start ${batchSeq}\n`);
  for (;;) {
    await store.commit(killBatch(++batchSeq));
    writeSync(1, `${batchSeq}\n`);
    await systemClock.sleep(0);
  }
}

if (import.meta.main) await main(argv[2]!);
