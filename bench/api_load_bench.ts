/**
 * Leases beside API requests: does a load of readers slow a crawl down?
 *
 *   deno run -A bench/api_load_bench.ts [--rate=2000] [--rounds=8] [--round-ms=5000] [--leases=100]      (or: bun bench/api_load_bench.ts)
 *
 * A coordinator on libSQL files in a process of its own; pretended edges here lease and complete at a fixed pace, over HTTP;
 * a third process sends API requests. Rounds with and without them take turns. Printed: how long a lease and a completion
 * took, and what CPU the coordinator used; with --rounds=0 only what each route costs.
 */

import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { createFleetFrontier } from "../edge/adapters/fleet_frontier.ts";
import { systemClock, systemRandom } from "../runtime/node.ts";
import { silentLog } from "../tests/support/control_plane.ts";
import { spawnOutrider } from "../tests/support/outrider_process.ts";
import { runArguments } from "../tests/support/web_server.ts";
import { benchOutcome, benchSpec } from "./bench_coordinator.ts";
import { processUsage } from "./process_usage.ts";

const flag = (name: string, otherwise: number): number => {
  const given = process.argv.find((argument) => argument.startsWith(`--${name}=`));
  return given === undefined ? otherwise : Number(given.split("=")[1]);
};
const RATE = flag("rate", 2000);
const ROUNDS = flag("rounds", 8);
const ROUND_MS = flag("round-ms", 5000);
const LEASES = flag("leases", 100);
const HOSTS = 200;
const LINKS = 20;
const CONNECTIONS = 32;

const urlOf = (host: number, page: number) => `http://127.1.${host >> 8}.${host & 255}/page-${page}`;

const urlAt = (i: number) => encodeURIComponent(urlOf(i % HOSTS, 0));
const EACH = 2000;

/** CPU of the coordinator, all threads, for one request of each kind. */
async function routes(base: string, pid: number): Promise<void> {
  const asked = { url: urlAt(7), host: "127.1.0.7" };
  const kinds = [
    "/healthz",
    "/v1/crawls/bench/stats",
    `/v1/hosts/${asked.host}`,
    `/v1/crawl/url-status?crawl_id=bench&url=${asked.url}`,
    `/v1/explain?crawl_id=bench&url=${asked.url}`,
    "/v1/events?limit=10",
  ];
  for (const path of kinds) {
    const before = processUsage(pid)!.cpuSeconds;
    const some = async () => {
      for (let i = 0; i < EACH / 16; i++) await (await fetch(base + path)).text();
    };
    await Promise.all(Array.from({ length: 16 }, some));
    const ms = (processUsage(pid)!.cpuSeconds - before) * 1000 / EACH;
    console.log(`${path.split("?")[0]!.padEnd(26)} ${ms.toFixed(3)} ms CPU`);
  }
}

/** Sends `RATE` requests a second to a base URL until it is ended; what readers ask, and now and then a seed. */
async function sendLoad(base: string): Promise<void> {
  const turns = Array.from({ length: 100 }, (_, i) => i);
  const ask = async (i: number) => {
    const turn = turns[i % turns.length]!;
    const path = turn < 40
      ? "/v1/crawls/bench/stats"
      : turn < 70
      ? `/v1/crawl/url-status?crawl_id=bench&url=${urlAt(i)}`
      : turn < 90
      ? `/v1/hosts/127.1.0.${i % HOSTS}`
      : turn < 98
      ? `/v1/explain?crawl_id=bench&url=${urlAt(i)}`
      : "/v1/crawl/seeds";
    const body = JSON.stringify({ crawl_id: "bench", urls: [urlOf(i % HOSTS, 1_000_000 + i)] });
    const headers = { "content-type": "application/json" };
    const response = await fetch(base + path, turn < 98 ? {} : { method: "POST", headers, body });
    await response.text();
    return response.status;
  };
  const began = systemClock.monotonicMs();
  const statuses: Record<number, number> = {};
  let sent = 0;
  const worker = async () => {
    for (;;) {
      const due = began + sent++ * 1000 / RATE;
      const wait = due - systemClock.monotonicMs();
      if (wait > 1) await systemClock.sleep(wait);
      const status = await ask(sent);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  process.on("SIGTERM", () => {
    const seconds = (systemClock.monotonicMs() - began) / 1000;
    process.stdout.write(`${JSON.stringify({ seconds, statuses })}\n`, () => process.exit(0));
  });
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

interface Figures {
  readonly leaseMs: number[];
  readonly completeMs: number[];
  cpuMs: number;
  seconds: number;
  requests: number;
}

const median = (values: readonly number[], share = 0.5) =>
  values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))]!;

async function measure(): Promise<void> {
  const folder = mkdtempSync(`${tmpdir()}/outrider-load-`);
  const flags = ["--allow-address", "127.0.0.0/8", "--rate", "operator=0"];
  const coordinator = spawnOutrider(["coordinator", "--port", "0", "--data", `${folder}/data`, ...flags]);
  try {
    const base = (await coordinator.line(/listens on/)).split(" ").at(-1)!;
    const frontier = createFleetFrontier({
      baseUrls: [base],
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
    });
    const spec = benchSpec(Array.from({ length: HOSTS }, (_, host) => urlOf(host, 0)));
    const headers = { "content-type": "application/json" };
    const { scope, politeness, seeds, user_agent } = spec;
    const body = JSON.stringify({ crawl_id: "bench", seeds, scope, politeness, user_agent });
    const made = await fetch(`${base}/v1/crawls`, { method: "POST", headers, body });
    if (made.status !== 202) throw new Error(await made.text());
    const figures = { quiet: none(), loaded: none() };
    for (let round = 0; round < ROUNDS * 2; round++) {
      const way = round % 2 === 0 ? "quiet" : "loaded";
      const load = way === "loaded" ? startLoad(base) : undefined;
      if (load !== undefined) await systemClock.sleep(1000);
      await crawl(frontier, coordinator.pid, figures[way]);
      figures[way].requests += await load?.() ?? 0;
    }
    if (ROUNDS > 0) report(figures);
    await routes(base, coordinator.pid);
    await frontier.close();
  } finally {
    coordinator.kill("SIGKILL");
    await coordinator.ended;
    await rm(folder, { recursive: true, force: true });
  }
}

const none = (): Figures => ({ leaseMs: [], completeMs: [], cpuMs: 0, seconds: 0, requests: 0 });

/** Starts the process that sends; the function ends it and tells how many requests a second it got answered. */
function startLoad(base: string): () => Promise<number> {
  const file = fileURLToPath(import.meta.url);
  const args = [...runArguments(process.execPath, file), `--load=${base}`, `--rate=${RATE}`];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text) => out += text);
  return () =>
    new Promise((resolve) => {
      child.on("close", () => {
        const { seconds, statuses } = JSON.parse(out);
        const answered = Object.values(statuses as Record<string, number>).reduce((sum, count) => sum + count, 0);
        const good = (statuses[200] ?? 0) + (statuses[202] ?? 0) + (statuses[404] ?? 0);
        if (good !== answered) process.stderr.write(`refused: ${out}`);
        resolve(answered / seconds);
      });
      child.kill("SIGTERM");
    });
}

/** One round: a lease of one host, its completion with links, `LEASES` a second. */
async function crawl(frontier: ReturnType<typeof createFleetFrontier>, pid: number, figures: Figures): Promise<void> {
  const began = systemClock.monotonicMs();
  const before = processUsage(pid)!;
  let page = Math.floor(systemRandom.next() * 1e9);
  const one = async () => {
    const asked = systemClock.monotonicMs();
    const reply = await frontier.lease({ worker_id: "bench", region: "r", max: 10, max_leases: 1, holding: 0 });
    figures.leaseMs.push(systemClock.monotonicMs() - asked);
    for (const { lease_id, epoch, slot, host, targets } of reply.leases) {
      const at = Number(host.split(".").at(-1));
      const outcomes = targets.map((target) => {
        const outlinks = Array.from({ length: LINKS }, () => urlOf(at, page++));
        return benchOutcome(target, { contentHash: "ab".repeat(32), outlinks });
      }).map((outcome) =>
        outcome.status === "fetched"
          ? {
            ...outcome,
            capture: { ...outcome.capture, record: { ...outcome.capture.record, storage_key: "bench/w" } },
          }
          : outcome
      );
      const told = systemClock.monotonicMs();
      await frontier.complete({ worker_id: "bench", lease_id, epoch, slot, outcomes, done: true });
      figures.completeMs.push(systemClock.monotonicMs() - told);
    }
  };
  const under = new Set<Promise<void>>();
  for (let due = began; due < began + ROUND_MS; due += 1000 / LEASES) {
    await systemClock.sleep(Math.max(0, due - systemClock.monotonicMs()));
    const work: Promise<void> = one().finally(() => under.delete(work));
    under.add(work);
  }
  await Promise.all(under);
  const after = processUsage(pid)!;
  figures.cpuMs += (after.cpuSeconds - before.cpuSeconds) * 1000;
  figures.seconds += (systemClock.monotonicMs() - began) / 1000;
}

function report({ quiet, loaded }: { readonly quiet: Figures; readonly loaded: Figures }): void {
  for (const [name, each] of Object.entries({ quiet, loaded })) {
    const { leaseMs, completeMs, cpuMs, seconds, requests } = each;
    console.log(
      `${name.padEnd(7)} lease ms: p10 ${median(leaseMs, 0.1).toFixed(2)}, median ${median(leaseMs).toFixed(2)}, p95 ${
        median(leaseMs, 0.95).toFixed(2)
      }; complete ms: median ${median(completeMs).toFixed(2)}, p95 ${median(completeMs, 0.95).toFixed(2)}; ${
        (leaseMs.length / seconds).toFixed(1)
      } leases, ${(completeMs.length / seconds).toFixed(1)} completions, ${
        (requests / ROUNDS).toFixed(0)
      } API requests a second; coordinator ${(cpuMs / seconds / 10).toFixed(0)} % of a core`,
    );
  }
  const more = (loaded.cpuMs / loaded.seconds - quiet.cpuMs / quiet.seconds) / (loaded.requests / ROUNDS);
  const tenth = median(loaded.leaseMs, 0.1) / median(quiet.leaseMs, 0.1);
  console.log(
    `leases take ${
      (median(loaded.leaseMs) / median(quiet.leaseMs)).toFixed(2)
    } of the time, the least disturbed tenth ${tenth.toFixed(2)}; ${more.toFixed(3)} ms CPU an API request`,
  );
}

const load = process.argv.find((argument) => argument.startsWith("--load="));
if (load !== undefined) await sendLoad(load.slice("--load=".length));
else await measure();
process.exit(0);
