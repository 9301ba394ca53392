/**
 * What the coordinator counts, as Prometheus text.
 * Invariant: at most `MOST_CRAWLS` crawls are shown, so the answer is bounded.
 */

import type { CrawlStats } from "../../protocol/mod.ts";
import type { FleetView } from "../fleet_ports.ts";
import { fleetFamilies } from "./fleet_metrics.ts";
import type { SeenFacts } from "../seen_ports.ts";
import { seenFamilies } from "./seen_metrics.ts";
import { type Family, familyText } from "./prometheus.ts";

export const MOST_CRAWLS = 1000;

const GAUGES = {
  queued: "URLs that wait in queues.",
  leased: "URLs that are out with edges.",
  hosts_active: "Hosts that are leased now.",
  hosts_waiting: "Hosts that wait for their time.",
  outbox_rows: "Rows that wait for delivery to other shards.",
} as const;

const COUNTERS = {
  accepted: "URLs accepted.",
  settled: "URLs settled.",
  fetched: "Final responses.",
  pages: "Final responses with a 2xx status.",
  sitemaps: "Answers to sitemaps.",
  redirected: "URLs that redirected to another.",
  excluded: "URLs excluded by robots.txt or a rule.",
  dead: "URLs given up.",
  requests: "Requests of any kind.",
  leases_placed: "Leases of hosts that are nearer to one region than to others.",
  leases_home: "Leases to the nearest region.",
} as const;

export interface Measured {
  readonly crawls: readonly CrawlStats[];
  /** What keeps the coordinator from being ready. */
  readonly problemCount: number;
  readonly fleet: FleetView;
  readonly seen: readonly SeenFacts[];
  readonly version: string;
  /** Of the API itself. */
  readonly api: readonly Family[];
}

export function prometheusText({ crawls, problemCount, fleet, seen, version, api }: Measured): string {
  const shown = crawls.slice(0, MOST_CRAWLS);
  const named = <K extends keyof typeof GAUGES | keyof typeof COUNTERS | "bytes">(key: K) =>
    shown.map((stats) => [{ crawl_id: stats.crawl_id }, stats[key]] as const);
  const families: Family[] = [
    {
      name: "outrider_build_info",
      type: "gauge",
      help: "1; its label says which version runs.",
      samples: [[{ version }, 1]],
    },
    {
      name: "outrider_problems",
      type: "gauge",
      help: "What keeps this coordinator from being ready.",
      samples: [[{}, problemCount]],
    },
    ...entries(GAUGES).map(([key, help]): Family => ({
      name: `outrider_${key}`,
      type: "gauge",
      help,
      samples: named(key),
    })),
    ...entries(COUNTERS).map(([key, help]): Family => ({
      name: `outrider_${key}_total`,
      type: "counter",
      help,
      samples: named(key),
    })),
    {
      name: "outrider_received_bytes_total",
      type: "counter",
      help: "Body bytes received on the wire.",
      samples: named("bytes"),
    },
    {
      name: "outrider_errors_total",
      type: "counter",
      help: "Failed fetches by class.",
      samples: byLabel(shown, "errors_by_class", "class"),
    },
    {
      name: "outrider_rejected_total",
      type: "counter",
      help: "URLs refused at the door by reason.",
      samples: byLabel(shown, "rejected_by_reason", "reason"),
    },
    {
      name: "outrider_leases_total",
      type: "counter",
      help: "Leases granted by region.",
      samples: byLabel(shown, "leases_by_region", "region"),
    },
    {
      name: "outrider_crawl_state",
      type: "gauge",
      help: "1 for the state that the crawl is in.",
      samples: shown.map(({ crawl_id, state }) => [{ crawl_id, state }, 1]),
    },
  ];
  return [...families, ...fleetFamilies(fleet), ...seenFamilies(seen), ...api].map(familyText).join("");
}

function entries<K extends string>(record: Readonly<Record<K, string>>): [K, string][] {
  return Object.entries(record) as [K, string][];
}

function byLabel(
  crawls: readonly CrawlStats[],
  key: "errors_by_class" | "rejected_by_reason" | "leases_by_region",
  label: string,
): Family["samples"] {
  return crawls.flatMap((stats) =>
    Object.entries(stats[key]).map(([value, count]) => [{ crawl_id: stats.crawl_id, [label]: value }, count] as const)
  );
}
