/**
 * What a store demands of a batch before it changes anything.
 * Invariant: a batch that passes can be applied without a failure half-way.
 */

import type { Batch, UrlKey, UrlRow } from "../ports.ts";

export interface BatchContext {
  readonly batchSeq: number;
  url(key: UrlKey): UrlRow | undefined;
}

/** Throws an Error that says which demand the batch breaks. */
export function checkBatch(batch: Batch, context: BatchContext): void {
  const refuse = (found: string, wanted: string): never => {
    throw new Error(`Committing batch ${batch.batchSeq}: found ${found}; wanted ${wanted}.`);
  };
  if (batch.batchSeq !== context.batchSeq + 1) refuse(`batch ${context.batchSeq} in the store`, "the one before");
  const unique = <T>(name: string, rows: readonly T[], keyOf: (row: T) => string) => {
    if (new Set(rows.map(keyOf)).size !== rows.length) refuse(`a key twice in ${name}`, "each once");
  };
  unique("newUrls", batch.newUrls, urlName);
  unique("changedUrls", batch.changedUrls, urlName);
  unique("hosts", batch.hosts, (row) => row.host);
  unique("origins", batch.origins, (row) => row.origin);
  unique("domains", batch.domains, (row) => row.domain);
  unique("addresses", batch.addresses, (row) => row.address);
  unique("leases", batch.leases, (row) => row.host);
  unique("tallies", batch.tallies, (row) => `${row.crawlId} ${row.host}`);
  unique("counters", batch.counters, (row) => row.crawlId);
  const known = batch.newUrls.find((row) => context.url(row) !== undefined);
  if (known !== undefined) refuse(`new URL ${known.url} in the store`, "URLs that aren't there yet");
  const missing = batch.changedUrls.find((row) => context.url(row) === undefined);
  if (missing !== undefined) refuse(`changed URL ${missing.url} not in the store`, "URLs that are there");
}

function urlName(row: UrlKey): string {
  return `${row.crawlId} ${row.fingerprint}`;
}
