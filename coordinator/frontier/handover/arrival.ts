/**
 * Rows of a slot on their way in: from another shard's database into this one's, a page a commit.
 * Invariant: a page and the place where the next begins are one commit, so a copy that was cut short goes on where it
 * stood; of the keys only those are added to the seen-set that it doesn't hold (from an earlier stay of the slot).
 */

import type { ShardStore, UrlRow } from "../../ports.ts";
import type { SlotCursor, SlotPage } from "../../slot_ports.ts";
import type { Operation, Round } from "../round.ts";
import { clusterOf, SeenKeys } from "../seen/seen_keys.ts";
import { VERDICT } from "../seen/seen_runs.ts";
import type { Shard } from "../shard.ts";

export interface Arrival {
  readonly page: SlotPage;
  /** Its URLs that the seen-set doesn't hold yet. */
  fresh: readonly UrlRow[];
}

/** Reads what the arrivals of a round need. */
export async function askArrivals({ shard, arrivals }: Round, store: ShardStore): Promise<void> {
  for (const arrival of arrivals) {
    const { urls } = arrival.page;
    const screening = shard.seen.screen(keysOf(shard, urls));
    await shard.seen.settle(screening, store);
    arrival.fresh = urls.filter((_, i) => screening.verdicts[i] === VERDICT.new);
  }
}

function keysOf({ parts }: Shard, urls: readonly UrlRow[]): SeenKeys {
  const keys = new SeenKeys();
  for (const { crawlId, host, fingerprint } of urls) {
    const { salt } = parts.crawls.get(crawlId)!;
    keys.addUrl(clusterOf(parts.directory.placeOf(host).domainHash, salt), fingerprint, salt);
  }
  return keys;
}

/** Takes one page in. The crawls of its URLs are known here. Answers whether it was the page that is wanted now. */
export class CopyOperation implements Operation<boolean> {
  readonly #slot: number;
  readonly #from: SlotCursor | undefined;
  readonly #arrival: Arrival;

  /** `page` was read at the cursor `from`. */
  constructor(slot: number, from: SlotCursor | undefined, page: SlotPage) {
    this.#slot = slot;
    this.#from = from;
    this.#arrival = { page, fresh: [] };
  }

  #isWanted({ marks }: Shard): boolean {
    const mark = marks.get(this.#slot);
    return mark?.state === "arriving" && JSON.stringify(mark.cursor) === JSON.stringify(this.#from);
  }

  plan(round: Round): void {
    if (this.#isWanted(round.shard)) round.arrivals.push(this.#arrival);
  }

  apply({ shard }: Round): boolean {
    if (!this.#isWanted(shard)) return false;
    const { page, fresh } = this.#arrival;
    shard.batch.arrive(page, fresh);
    for (const { seq } of page.urls) shard.nextUrlSeq = Math.max(shard.nextUrlSeq, seq + 1);
    shard.mark({ ...shard.marks.get(this.#slot)!, cursor: page.next });
    return true;
  }
}
