/**
 * Makes few large outbox rows of many small ones that wait for one shard.
 * Invariant: only rows that nobody was given are merged: the links of a row arrive under one name, once.
 */

import { shardOf } from "../../protocol/mod.ts";
import type { Operation, Round } from "./round.ts";

export class MergeOutboxOperation implements Operation<void> {
  plan(round: Round): void {
    round.mergedNames.push(...round.shard.outbox.mergeable());
  }

  apply({ shard, mergedRows }: Round): void {
    for (const row of mergedRows.splice(0)) {
      const name = { leaseId: row.lease_id, seq: row.seq };
      const to = shardOf(shard.parts.book.map, row.slot);
      // Its slot is on its way here, or from here: it goes alone.
      if (to === shard.index || !shard.outbox.isMergeable(name)) continue;
      shard.outbox.remove(name);
      shard.batch.ackOutbox(name);
      const under = { slot: row.slot, crawlId: row.crawl_id, sender: `merged:${shard.index}` };
      for (const link of row.links) shard.batch.addForeign(`shard ${to}`, under, link);
    }
  }
}
