import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { CrawlStats } from "../../protocol/mod.ts";
import type { FleetView } from "../fleet_ports.ts";
import { test } from "../../tests/support/test.ts";
import type { SeenFacts } from "../seen_ports.ts";
import type { Family } from "./prometheus.ts";
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
  edges: [
    { worker: "eu-1", region: "eu", leases: 3, askedAgoMs: 20 },
    { worker: "us-1", region: "us", leases: 0, askedAgoMs: 20, unhealthy: "The disk is full.", unhealthyForMs: 1_000 },
  ],
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

const API: Family[] = [
  {
    name: "outrider_api_requests_total",
    type: "counter",
    help: "Requests.",
    samples: [[{ role: "edge", status: "200" }, 5]],
  },
  {
    name: "outrider_api_request_seconds_total",
    type: "counter",
    help: "Time.",
    samples: [[{ role: "edge", status: "200" }, 0.5]],
  },
];
const REST = { version: "1.2.3", api: API };

/** A sample of every family. */
function everything(): string {
  const crawls = [STATS, { ...STATS, crawl_id: "b", state: "paused" as const }];
  return prometheusText({ crawls, problemCount: 2, fleet: FLEET, seen: [SEEN, { ...SEEN, shard: 1 }], ...REST });
}

test("every line is a comment or a sample, and a family is typed before its samples", () => {
  const lines = everything().trimEnd().split("\n");
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
      'outrider_build_info{version="1.2.3"} 1',
      'outrider_received_bytes_total{crawl_id="a"} 900',
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
      'outrider_region_connect_seconds{region="eu"} 0.0142',
      'outrider_region_silent{region="us"} 1',
      'outrider_seen_block_reads_total{shard="1"} 2',
      'outrider_seen_false_positive_ratio{shard="0"} 0.0125',
      'outrider_seen_run_keys{shard="0"} 70000',
    ]
  ) assert.ok(lines.includes(sample), sample);
});

test("the text is bounded and makes sense without a crawl", () => {
  const many = Array.from({ length: MOST_CRAWLS + 5 }, (_, i) => ({ ...STATS, crawl_id: `c${i}` }));
  assert.equal(
    prometheusText({ crawls: many, problemCount: 0, fleet: FLEET, seen: [], ...REST }).match(/outrider_queued\{/g)!
      .length,
    MOST_CRAWLS,
  );
  assert.match(
    prometheusText({ crawls: [], problemCount: 0, fleet: { ...FLEET, regions: [] }, seen: [], ...REST }),
    /^outrider_problems 0$/m,
  );
});

/** What promtool's linter asks of a name. */
function nameProblem(name: string, type: string): string | undefined {
  if (!/^outrider_[a-z]+(?:_[a-z]+)*$/.test(name)) return "lower-case words behind outrider_";
  if ((type === "counter") !== name.endsWith("_total")) return "_total behind counters and nothing else";
  if (/_(?:ms|milliseconds|minutes|hours|kb|mb|kib|percent|rate|count|sum|bucket|info_total)(?:_|$)/.test(name)) {
    return "base units, and no ending that has a meaning of its own";
  }
  if (/(?:seconds|bytes|ratio)/.test(name) && !/_(?:seconds|bytes|ratio)(?:_total)?$/.test(name)) {
    return "the unit last";
  }
  return undefined;
}

test("metrics are named by Prometheus' conventions, each family whole and told of once", () => {
  const families = everything().split(/^(?=# HELP )/m);
  const names = new Set<string>();
  for (const family of families) {
    const [help, type, ...samples] = family.trimEnd().split("\n");
    const [, name, text] = /^# HELP (\S+) (\S.*\.)$/.exec(help!) ?? [];
    assert.ok(name !== undefined && text !== undefined, help);
    const [, typed, kind] = /^# TYPE (\S+) (counter|gauge)$/.exec(type!) ?? [];
    assert.equal(typed, name);
    assert.equal(nameProblem(name, kind!), undefined, name);
    assert.ok(!names.has(name), name);
    names.add(name);
    assert.ok(samples.length > 0, name);
    for (const sample of samples) assert.ok(sample.startsWith(`${name}{`) || sample.startsWith(`${name} `), sample);
  }
  assert.ok(names.size > 40, String(names.size));
  const wrong = [["a_total", "counter"], ["outrider_x_ms", "gauge"], ["outrider_x", "counter"], [
    "outrider_x_total",
    "gauge",
  ]];
  for (const [name, type] of [...wrong, ["outrider_bytes_left", "gauge"]]) assert.ok(nameProblem(name!, type!), name);
});

test("deploy: every expression of the Grafana dashboard names metrics and labels that there are", () => {
  const dashboard = JSON.parse(readFileSync(new URL("../../deploy/grafana-dashboard.json", import.meta.url), "utf8"));
  const text = everything();
  const labelsOf = (name: string) =>
    new Set(
      Array.from(text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? `, "gm")), ([, labels]) =>
        Array.from((labels ?? "").matchAll(/([a-z_]+)="/g), ([, label]) => label!)).flat(),
    );
  const expressions: string[] = dashboard.panels.flatMap((panel: { targets?: { expr: string }[] }) =>
    (panel.targets ?? []).map(({ expr }) => expr)
  );
  expressions.push(
    ...dashboard.templating.list.filter(({ type }: { type: string }) => type === "query").map((
      one: { query: string },
    ) => one.query),
  );
  assert.ok(expressions.length >= 20);
  for (const expression of expressions) {
    const named = [...expression.matchAll(/(outrider_[a-z_]+)(?:\{([^}]*)\})?/g)];
    assert.ok(named.length > 0, expression);
    for (const [, name, selector = ""] of named) {
      assert.ok(text.includes(`# TYPE ${name} `), `${name} in ${expression}`);
      for (const [, label] of selector.matchAll(/([a-z_]+)=/g)) {
        assert.ok(labelsOf(name!).has(label!), `${label} of ${name}`);
      }
    }
    for (const [, labels] of expression.matchAll(/ by \(([^)]*)\)/g)) {
      for (const label of labels!.split(/, */)) {
        assert.ok(labelsOf(named[0]![1]!).has(label), `${label} in ${expression}`);
      }
    }
  }
  const ids = dashboard.panels.map(({ id }: { id: number }) => id);
  assert.equal(new Set(ids).size, ids.length);
});
