/**
 * Counters as Prometheus text (exposition format 0.0.4).
 * Invariant: at most `MOST_CRAWLS` crawls are shown, so the answer is bounded; label values are escaped.
 */

import type { CrawlStats } from "../../protocol/mod.ts";

export const MOST_CRAWLS = 1000;

interface Family {
  readonly name: string;
  readonly type: "counter" | "gauge";
  readonly help: string;
  readonly samples: readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];
}

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
  redirected: "URLs that redirected to another.",
  excluded: "URLs excluded by robots.txt or a rule.",
  dead: "URLs given up.",
  requests: "Requests of any kind.",
  bytes: "Body bytes received on the wire.",
} as const;

/** The text for these crawls and for problems that keep the coordinator from being ready. */
export function prometheusText(crawls: readonly CrawlStats[], problemCount: number): string {
  const shown = crawls.slice(0, MOST_CRAWLS);
  const named = <K extends keyof typeof GAUGES | keyof typeof COUNTERS>(key: K) =>
    shown.map((stats) => [{ crawl_id: stats.crawl_id }, stats[key]] as const);
  const families: Family[] = [
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
      name: "outrider_crawl_state",
      type: "gauge",
      help: "1 for the state that the crawl is in.",
      samples: shown.map(({ crawl_id, state }) => [{ crawl_id, state }, 1]),
    },
  ];
  return families.map(familyText).join("");
}

function entries<K extends string>(record: Readonly<Record<K, string>>): [K, string][] {
  return Object.entries(record) as [K, string][];
}

function byLabel(
  crawls: readonly CrawlStats[],
  key: "errors_by_class" | "rejected_by_reason",
  label: string,
): Family["samples"] {
  return crawls.flatMap((stats) =>
    Object.entries(stats[key]).map(([value, count]) => [{ crawl_id: stats.crawl_id, [label]: value }, count] as const)
  );
}

function familyText({ name, type, help, samples }: Family): string {
  if (samples.length === 0) return "";
  const lines = samples.map(([labels, value]) => `${name}${labelText(labels)} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escape(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escape(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
