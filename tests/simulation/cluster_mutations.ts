/**
 * Broken builds that only seeds with several coordinators can find.
 * Invariant: as those of mutations.ts.
 */

import type { Mutation } from "./mutations.ts";
import { CLUSTER_SEEDS } from "./scenario.ts";

const FRONTIER = "coordinator/frontier";

export const CLUSTER_MUTATIONS: readonly Mutation[] = ([
  {
    name: "takes commits of an owner whose term is over",
    file: "coordinator/store/memory_shard_store.ts",
    find: "    if (this.#term !== disk.ownerTerm) {\n",
    replace: "    if (this.#term > disk.ownerTerm) {\n",
  },
  {
    name: "leases within the whole page limit, not within the shard's part of it",
    file: `${FRONTIER}/crawls/crawl.ts`,
    find: "return Math.max(0, (this.allotted[shard] ?? 0) - this.usedIn(shard));",
    replace: "return this.pagesLeft;",
  },
  {
    name: "sees the end of a crawl in its own shards alone",
    file: `${FRONTIER}/crawls/crawl_sweep.ts`,
    find: "[...own.map((part) => part!), ...others];",
    replace: "own.map((part) => part!);",
  },
  {
    name: "leases hosts of a slot that is on its way",
    file: `${FRONTIER}/shard.ts`,
    find: 'this.marks.has(host.slot) || this.domains.stopReason(host.domain) !== "";',
    replace: 'this.domains.stopReason(host.domain) !== "";',
  },
  {
    name: "doesn't count what comes with a slot",
    file: `${FRONTIER}/handover/arrive.ts`,
    find: "if (ready + waiting > 0) shard.changeCounts(crawlId).accepted += ready + waiting;",
    replace: "if (ready + waiting > 0) shard.changeCounts(crawlId);",
  },
] as const).map((mutation) => ({ ...mutation, from: CLUSTER_SEEDS + 1 }));
