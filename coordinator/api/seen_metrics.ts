/**
 * The seen-sets' figures as Prometheus families, one sample a shard.
 * Invariant: as many samples as there are shards, whatever the crawls.
 */

import type { SeenFacts } from "../seen_ports.ts";
import type { Family } from "./prometheus.ts";

type Figure = readonly [name: string, help: string, of: (facts: SeenFacts) => number];

const GAUGES: readonly Figure[] = [
  ["runs", "Runs of a shard's seen-set.", ({ runs }) => runs],
  ["run_keys", "URLs in the runs of a shard's seen-set.", ({ runKeys }) => runKeys],
  ["memtable_keys", "URLs of a shard's seen-set in RAM and in its log only.", ({ memtableKeys }) => memtableKeys],
  ["filter_bytes", "RAM of the filters of a shard's seen-set.", ({ filterBytes }) => filterBytes],
  ["cache_bytes", "RAM of the block cache of a shard's seen-set.", ({ cacheBytes }) => cacheBytes],
  [
    "false_positive_ratio",
    "Share of the last 10,000 new URLs that a filter took for seen; above 0.01 is an alarm.",
    ({ falsePositiveRate }) => falsePositiveRate,
  ],
];

const COUNTERS: readonly Figure[] = [
  ["checks", "URLs that a shard's seen-set was asked about.", ({ checks }) => checks],
  ["fresh", "URLs of them that were new.", ({ fresh }) => fresh],
  ["positives", "URLs of them that a filter didn't deny.", ({ positives }) => positives],
  ["false_positives", "New URLs of them that a filter didn't deny.", ({ falsePositives }) => falsePositives],
  ["block_reads", "Blocks that were read from the store for answers.", ({ blockReads }) => blockReads],
];

export function seenFamilies(shards: readonly SeenFacts[]): Family[] {
  const family = (type: Family["type"], suffix: string) => ([name, help, of]: Figure): Family => ({
    name: `outrider_seen_${name}${suffix}`,
    type,
    help,
    samples: shards.map((facts) => [{ shard: String(facts.shard) }, of(facts)] as const),
  });
  return [...GAUGES.map(family("gauge", "")), ...COUNTERS.map(family("counter", "_total"))];
}
