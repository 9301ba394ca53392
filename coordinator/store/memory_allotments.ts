/**
 * Page limits shared out among shards, in RAM: the executable specification of AllotmentStore.
 * Invariant: the sum over a crawl's shards grows only within the limit that the claim names.
 */

import { type AllotmentClaim, type AllotmentStore, OwnerLost } from "../owner_ports.ts";

export function memoryAllotments(rows: Map<string, AllotmentClaim>): AllotmentStore {
  return {
    async claim(claim) {
      const name = `${claim.crawlId} ${claim.shard}`;
      const known = rows.get(name);
      if (known !== undefined && known.term > claim.term) throw claimLost(claim, known.term);
      if (known !== undefined && known.term === claim.term && known.version > claim.version) return known.pages;
      let others = 0;
      for (const row of rows.values()) {
        if (row.crawlId === claim.crawlId && row.shard !== claim.shard) others += row.pages;
      }
      const pages = Math.max(claim.used, Math.min(claim.pages, claim.limit - others));
      rows.set(name, { ...claim, pages });
      return pages;
    },
  };
}

export function claimLost({ crawlId, shard, term }: AllotmentClaim, newer: number): OwnerLost {
  return new OwnerLost(
    `Claiming pages of the crawl ${crawlId} for shard ${shard} with owner term ${term}: an owner with term ${newer} did so.`,
  );
}
