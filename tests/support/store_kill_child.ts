/**
 * A process that is to be killed. `commit FILE`: commits to a shard without end, batch n being a function of n alone;
 * `commit-in-thread FILE` does it with the database in a thread.
 * `lock FILE`: takes a data folder's lock and keeps it.
 * Invariant: a line is printed only after what it tells is durable.
 */

import { writeSync } from "node:fs";
import { argv } from "node:process";
import { databaseThreads } from "../../cli/database_threads.ts";
import type { Batch } from "../../coordinator/ports.ts";
import { lockDataFolder } from "../../coordinator/store/data_lock.ts";
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

async function commitForEver(location: string, inThread: boolean): Promise<void> {
  const thread = inThread ? databaseThreads(1).connect : undefined;
  const store = openLibsqlShardStore({ location, clock: systemClock, thread });
  await store.open("child", 1);
  let { batchSeq } = await store.load();
  writeSync(1, `start ${batchSeq}\n`);
  for (;;) {
    await store.commit(killBatch(++batchSeq));
    writeSync(1, `${batchSeq}\n`);
    await systemClock.sleep(0);
  }
}

async function keepLock(path: string): Promise<void> {
  await lockDataFolder(path, "the child");
  writeSync(1, "held\n");
  await systemClock.sleep(600_000);
}

if (import.meta.main) {
  await (argv[2] === "lock" ? keepLock(argv[3]!) : commitForEver(argv[3]!, argv[2] === "commit-in-thread"));
}
