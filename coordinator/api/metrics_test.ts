import assert from "node:assert/strict";
import type { CrawlStats } from "../../protocol/mod.ts";
import type { FleetView } from "../fleet_ports.ts";
import { test } from "../../tests/support/test.ts";
import type { SeenFacts } from "../seen_ports.ts";
import { MOST_CRAWLS, prometheusText } from "./metrics.ts";

const STATS: CrawlStats = {
  crawl_id: "a",
  state: "running",
  reason: "",
  accepted: 7,
  queued: 4,
  leased: 1,
  settled: 2,
  fetched: 2,
  pages: 1,
  sitemaps: 0,
  redirected: 0,
  excluded: 0,
  dead: 0,
  rejected_by_reason: { 'odd "reason"\\\n': 3 },
  errors_by_class: { dns: 5 },
  leases_by_region: { eu: 6, "": 1 },
  leases_placed: 5,
  leases_home: 4,
  bytes: 900,
  requests: 3,
  hosts_active: 1,
  hosts_waiting: 0,
  outbox_rows: 0,
};

const FLEET: FleetView = {
  slots: {
    asked: 40,
    readyPerSlot: 2.5,
    idle: { no_allowed_host: 7, store: 0, refused: 0, nothing_queued: 1 },
    idleMs: { no_allowed_host: 3_500, store: 0, refused: 0, nothing_queued: 20 },
  },
  regions: [
    { region: "eu", isSilent: false, leases: 3, medianConnectMs: 14.2 },
    { region: "us", isSilent: true, leases: 0 },
  ],
};

const SEEN: SeenFacts = {
  shard: 0,
  checks: 9,
  fresh: 4,
  positives: 5,
  falsePositives: 1,
  falsePositiveRate: 0.0125,
  blockReads: 2,
  runs: 3,
  runKeys: 70_000,
  memtableKeys: 6,
  filterBytes: 139_300,
  cacheBytes: 1_034_240,
};

/** What a Prometheus scraper reads of a sample line. */
const SAMPLE = /^[a-z_]+(?:\{[a-z_]+="(?:[^"\\\n]|\\[\\"n])*"(?:,[a-z_]+="(?:[^"\\\n]|\\[\\"n])*")*\})? -?[0-9.e+]+$/;

test("every line is a comment or a sample, and a family is typed before its samples", () => {
  const crawls = [STATS, { ...STATS, crawl_id: "b", state: "paused" as const }];
  const lines = prometheusText({ crawls, problemCount: 2, fleet: FLEET, seen: [SEEN, { ...SEEN, shard: 1 }] }).trimEnd()
    .split("\n");
  const typed = new Set<string>();
  for (const line of lines) {
    if (line.startsWith("# TYPE ")) typed.add(line.split(" ")[2]!);
    if (line.startsWith("#")) continue;
    assert.match(line, SAMPLE);
    assert.ok(typed.has(/^[a-z_]+/.exec(line)![0]), line);
  }
  assert.equal(new Set(lines).size, lines.length);
  for (
    const sample of [
      "outrider_problems 2",
      'outrider_accepted_total{crawl_id="a"} 7',
      'outrider_queued{crawl_id="b"} 4',
      'outrider_errors_total{crawl_id="a",class="dns"} 5',
      'outrider_rejected_total{crawl_id="a",reason="odd \\"reason\\"\\\\\\n"} 3',
      'outrider_crawl_state{crawl_id="b",state="paused"} 1',
      'outrider_leases_total{crawl_id="a",region="eu"} 6',
      'outrider_leases_home_total{crawl_id="a"} 4',
      "outrider_ready_queues_per_slot 2.5",
      'outrider_fetch_slots_idle_total{cause="no_allowed_host"} 7',
      'outrider_fetch_slots_idle_seconds_total{cause="no_allowed_host"} 3.5',
      'outrider_region_connect_ms{region="eu"} 14.2',
      'outrider_region_silent{region="us"} 1',
      'outrider_seen_block_reads_total{shard="1"} 2',
      'outrider_seen_false_positive_rate{shard="0"} 0.0125',
      'outrider_seen_run_keys{shard="0"} 70000',
    ]
  ) assert.ok(lines.includes(sample), sample);
});

test("the text is bounded and makes sense without a crawl", () => {
  const many = Array.from({ length: MOST_CRAWLS + 5 }, (_, i) => ({ ...STATS, crawl_id: `c${i}` }));
  assert.equal(
    prometheusText({ crawls: many, problemCount: 0, fleet: FLEET, seen: [] }).match(/outrider_queued\{/g)!.length,
    MOST_CRAWLS,
  );
  assert.match(
    prometheusText({ crawls: [], problemCount: 0, fleet: { ...FLEET, regions: [] }, seen: [] }),
    /^outrider_problems 0$/m,
  );
});
