/**
 * Leases beside API requests: does a load of readers slow a crawl down?
 *
 *   deno run -A bench/api_load_bench.ts [--rate=2000] [--rounds=8] [--round-ms=5000] [--leases=100] [--held-ms=300] [--threads=0]      (or: bun …)
 *
 * A coordinator on libSQL files in a process of its own; pretended edges here lease at a fixed pace, and complete what they
 * held for a while, over HTTP; a third process sends API requests. Rounds take turns: without requests, with requests to
 * another server (what the machine's own business does), with requests to the coordinator. Printed: how long a lease and a
 * completion took, and what CPU the coordinator used; with --rounds=0 only what each route costs. --threads=0,2 compares
 * coordinators with so many threads for their databases.
 */

import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { createFleetFrontier } from "../edge/adapters/fleet_frontier.ts";
import { systemClock, systemRandom } from "../runtime/node.ts";
import { serve } from "../runtime/serve.ts";
import { silentLog } from "../tests/support/control_plane.ts";
import { type Outrider, spawnOutrider } from "../tests/support/outrider_process.ts";
import { runArguments } from "../tests/support/web_server.ts";
import { benchOutcome, benchSpec } from "./bench_coordinator.ts";
import { type Asked, openLine, sendLoad, type Sent } from "./api_load_sender.ts";
import { processUsage } from "./process_usage.ts";

const flag = (name: string, otherwise: number): number => {
  const given = process.argv.find((argument) => argument.startsWith(`--${name}=`));
  return given === undefined ? otherwise : Number(given.split("=")[1]);
};
const RATE = flag("rate", 2000);
const ROUNDS = flag("rounds", 8);
const ROUND_MS = flag("round-ms", 5000);
const LEASES = flag("leases", 100);
const HELD_MS = flag("held-ms", 300);
/** Of the coordinators that are compared. */
const THREADS = (process.argv.find((argument) => argument.startsWith("--threads="))?.slice(10) ?? "0").split(",");
const HOSTS = 200;
const LINKS = 20;
const CONNECTIONS = 32;

const urlOf = (host: number, page: number) => `http://127.1.${host >> 8}.${host & 255}/page-${page}`;

const urlAt = (i: number) => encodeURIComponent(urlOf(i % HOSTS, 0));
const EACH = 8000;

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
    "/v1/crawl/seeds",
  ];
  const { hostname, port } = new URL(base);
  const lines = await Promise.all(Array.from({ length: 16 }, () => openLine(hostname, Number(port))));
  let seed = 2_000_000;
  for (const path of kinds) {
    const each = path.endsWith("seeds") ? EACH / 8 : EACH;
    const ask = () => path.endsWith("seeds") ? { path, body: seedBody(seed++) } : { path };
    const some = (count: number) =>
      Promise.all(lines.map(async (line) => {
        for (let i = 0; i < count / lines.length; i++) await line(ask());
      }));
    await some(each / 4);
    const before = processUsage(pid)!.cpuSeconds;
    await some(each);
    const ms = (processUsage(pid)!.cpuSeconds - before) * 1000 / each;
    console.log(`${path.split("?")[0]!.padEnd(26)} ${ms.toFixed(3)} ms CPU`);
  }
}

const seedBody = (page: number) => JSON.stringify({ crawl_id: "bench", urls: [urlOf(page % HOSTS, page)] });

/** What readers ask, and now and then a seed. */
function question(i: number): Asked {
  const turn = i % 100;
  if (turn < 40) return { path: "/v1/crawls/bench/stats" };
  if (turn < 70) return { path: `/v1/crawl/url-status?crawl_id=bench&url=${urlAt(i)}` };
  if (turn < 90) return { path: `/v1/hosts/127.1.0.${i % HOSTS}` };
  if (turn < 98) return { path: `/v1/explain?crawl_id=bench&url=${urlAt(i)}` };
  return { path: "/v1/crawl/seeds", body: seedBody(1_000_000 + i) };
}

/** Sends until it is ended, and then says what was answered. */
function loadProcess(base: string): void {
  const sent = sendLoad({ base, rate: RATE, connections: CONNECTIONS, ask: question });
  process.on("SIGTERM", () => process.stdout.write(`${JSON.stringify(sent())}\n`, () => process.exit(0)));
}

/** Answers like the API, with nothing behind it. */
async function standIn(): Promise<void> {
  const body = JSON.stringify({ nothing: "x".repeat(600) });
  const headers = { "content-type": "application/json" };
  const handler = () => Promise.resolve(new Response(body, { headers }));
  const server = await serve({ hostname: "127.0.0.1", port: 0, handler });
  process.stdout.write(`${server.url}\n`);
}

/** Nobody asks; a server with nothing behind it is asked; the coordinator is. */
const WAYS = ["quiet", "elsewhere", "loaded"] as const;
type Way = (typeof WAYS)[number];

interface Figures {
  readonly leaseMs: number[];
  readonly completeMs: number[];
  cpuMs: number;
  seconds: number;
  requests: number;
}

const median = (values: readonly number[], share = 0.5) =>
  values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))]!;

interface Measured {
  readonly threads: string;
  readonly coordinator: Outrider;
  readonly base: string;
  readonly frontier: ReturnType<typeof createFleetFrontier>;
  readonly figures: Readonly<Record<Way, Figures>>;
}

async function measure(): Promise<void> {
  const folder = mkdtempSync(`${tmpdir()}/outrider-load-`);
  const elsewhere = helper(["--stand-in"]);
  const measured: Measured[] = [];
  try {
    for (const threads of THREADS) measured.push(await start(`${folder}/${threads}`, threads));
    const standIn = await elsewhere.line;
    for (let round = 0; round < ROUNDS; round++) {
      for (const way of WAYS) {
        for (const { base, frontier, coordinator, figures } of measured) {
          const load = way === "quiet" ? undefined : startLoad(way === "loaded" ? base : standIn);
          if (load !== undefined) await systemClock.sleep(1000);
          await crawl(frontier, coordinator.pid, figures[way]);
          figures[way].requests += await load?.() ?? 0;
        }
      }
    }
    for (const { threads, base, coordinator, frontier, figures } of measured) {
      console.log(`database threads: ${threads}`);
      if (ROUNDS > 0) report(figures);
      await routes(base, coordinator.pid);
      await frontier.close();
    }
  } finally {
    elsewhere.child.kill("SIGKILL");
    for (const { coordinator } of measured) {
      coordinator.kill("SIGKILL");
      await coordinator.ended;
    }
    await rm(folder, { recursive: true, force: true });
  }
}

/** A coordinator with a crawl. */
async function start(folder: string, threads: string): Promise<Measured> {
  const flags = ["--allow-address", "127.0.0.0/8", "--rate", "operator=0", "--database-threads", threads];
  const coordinator = spawnOutrider(["coordinator", "--port", "0", "--data", folder, ...flags]);
  const base = (await coordinator.line(/listens on/)).split(" ").at(-1)!;
  const frontier = createFleetFrontier({ baseUrls: [base], clock: systemClock, random: systemRandom, log: silentLog });
  const spec = benchSpec(Array.from({ length: HOSTS }, (_, host) => urlOf(host, 0)));
  const headers = { "content-type": "application/json" };
  const { scope, politeness, seeds, user_agent } = spec;
  const body = JSON.stringify({ crawl_id: "bench", seeds, scope, politeness, user_agent });
  const made = await fetch(`${base}/v1/crawls`, { method: "POST", headers, body });
  if (made.status !== 202) throw new Error(await made.text());
  return { threads, coordinator, base, frontier, figures: { quiet: none(), elsewhere: none(), loaded: none() } };
}

const none = (): Figures => ({ leaseMs: [], completeMs: [], cpuMs: 0, seconds: 0, requests: 0 });

/** This program in a process of its own, and the first line that it writes. */
function helper(flags: readonly string[]) {
  const file = fileURLToPath(import.meta.url);
  const args = [...runArguments(process.execPath, file), ...flags, `--rate=${RATE}`];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const line = new Promise<string>((resolve) => {
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      out += text;
      if (out.includes("\n")) resolve(out.slice(0, out.indexOf("\n")));
    });
  });
  return { child, line };
}

/** Starts the process that sends; the function ends it and tells how many requests a second it got answered. */
function startLoad(base: string): () => Promise<number> {
  const { child, line } = helper([`--load=${base}`]);
  return async () => {
    child.kill("SIGTERM");
    const { seconds, statuses } = JSON.parse(await line) as Sent;
    const answered = Object.values(statuses).reduce((sum, count) => sum + count, 0);
    const good = (statuses[200] ?? 0) + (statuses[202] ?? 0) + (statuses[404] ?? 0);
    if (good !== answered) process.stderr.write(`refused: ${JSON.stringify(statuses)}\n`);
    return answered / seconds;
  };
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
    if (reply.leases.length > 0) await systemClock.sleep(HELD_MS);
    for (const { lease_id, epoch, slot, host, targets } of reply.leases) {
      const at = Number(host.split(".").at(-1));
      const outcomes = targets.map((target) => {
        const outlinks = Array.from({ length: LINKS }, () => urlOf(at, page++));
        // One page in twenty has the content of another.
        const contentHash = page % (20 * LINKS) < LINKS ? "ab".repeat(32) : systemRandom.hex(32);
        return benchOutcome(target, { contentHash, outlinks });
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

function report(figures: Readonly<Record<Way, Figures>>): void {
  for (const way of WAYS) {
    const { leaseMs, completeMs, cpuMs, seconds, requests } = figures[way];
    console.log(
      `${way.padEnd(9)} lease ms: p10 ${median(leaseMs, 0.1).toFixed(2)}, median ${median(leaseMs).toFixed(2)}, p95 ${
        median(leaseMs, 0.95).toFixed(2)
      }; complete ms: median ${median(completeMs).toFixed(2)}, p95 ${median(completeMs, 0.95).toFixed(2)}; ${
        (leaseMs.length / seconds).toFixed(1)
      } leases, ${(completeMs.length / seconds).toFixed(1)} completions, ${
        (requests / ROUNDS).toFixed(0)
      } API requests a second; coordinator ${(cpuMs / seconds / 10).toFixed(0)} % of a core`,
    );
  }
  const { quiet, elsewhere, loaded } = figures;
  const more = (loaded.cpuMs / loaded.seconds - quiet.cpuMs / quiet.seconds) / (loaded.requests / ROUNDS);
  const ratio = (other: Figures, share: number) =>
    (median(loaded.leaseMs, share) / median(other.leaseMs, share)).toFixed(2);
  console.log(
    `leases beside the load take ${ratio(quiet, 0.5)} of the time (least disturbed tenth ${ratio(quiet, 0.1)}), ` +
      `${ratio(elsewhere, 0.5)} (${ratio(elsewhere, 0.1)}) of that beside a load on the stand-in; ` +
      `${more.toFixed(3)} ms CPU an API request`,
  );
}

/** Leases and completes until it is ended. */
async function edgesProcess(base: string): Promise<void> {
  const frontier = createFleetFrontier({
    baseUrls: [base],
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  });
  for (;;) await crawl(frontier, process.pid, none());
}

const load = process.argv.find((argument) => argument.startsWith("--load="));
const edges = process.argv.find((argument) => argument.startsWith("--edges="));
if (edges !== undefined) await edgesProcess(edges.slice("--edges=".length));
else if (load !== undefined) loadProcess(load.slice("--load=".length));
else if (process.argv.includes("--stand-in")) await standIn();
else {
  await measure();
  process.exit(0);
}
