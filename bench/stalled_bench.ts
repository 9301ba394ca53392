/**
 * What thousands of hosts that accept and fall silent cost: memory, and the throughput of the others.
 * `deno run -A bench/stalled_bench.ts [stalled=5000] [rounds=15]`, the same with `bun run`. Two clients take turns, one of
 * which holds the stalled connections all the while; the server is a process of its own.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { type AddressInfo, createServer } from "node:net";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createAddressGuard } from "../edge/http/address_guard.ts";
import { createHttpFetcher } from "../edge/http/http_fetcher.ts";
import { createResolver } from "../edge/http/resolver.ts";
import type { Fetcher, FetchRequest } from "../edge/ports.ts";
import { systemClock } from "../runtime/node.ts";
import { RUNTIME_NAME } from "./runtime_name.ts";

const PAGE = `<!doctype html><title>page</title>${"<p>some text of a page</p>".repeat(800)}`;
const ROUND_MS = 1_500;
const AT_ONCE = 64;
const LIMITS = {
  connectMs: 30_000,
  idleMs: 600_000,
  wallMs: 600_000,
  headerBytes: 65_536,
  wireBytes: 1e7,
  decodedBytes: 1e7,
};

/** Answers `/page`, and nothing else. */
function serve(): void {
  const answer = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${PAGE.length}\r\n\r\n${PAGE}`;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      if (bytes.toString("latin1").startsWith("GET /page")) socket.write(answer);
    });
  });
  server.listen({ port: 0, host: "0.0.0.0", backlog: 4096 }, () => console.log((server.address() as AddressInfo).port));
  process.stdin.on("end", () => process.exit(0)).resume();
}

function request(url: string): FetchRequest {
  return { url, headers: [["User-Agent", "bench"]], limits: LIMITS, onlyOpened: false };
}

/** Pages a second and CPU microseconds a page over one round. */
async function round(fetcher: Fetcher, port: number): Promise<{ rate: number; cpu: number }> {
  const from = performance.now();
  const cpu = process.cpuUsage();
  let pages = 0;
  await Promise.all(Array.from({ length: AT_ONCE }, async (_, i) => {
    while (performance.now() - from < ROUND_MS) {
      const result = await fetcher.fetch(request(`http://page${i}.test:${port}/page`));
      if (!result.ok) throw new Error(result.detail);
      pages++;
    }
  }));
  const used = process.cpuUsage(cpu);
  return { rate: (pages / (performance.now() - from)) * 1000, cpu: (used.user + used.system) / pages };
}

/** Opens them all, each to a host of its own; they are never answered. */
async function stall(fetcher: Fetcher, port: number, count: number): Promise<void> {
  let sent = 0;
  for (let i = 0; i < count; i++) {
    void fetcher.fetch({ ...request(`http://stalled${i}.test:${port}/`), onSent: () => sent++ });
  }
  while (sent < count) await systemClock.sleep(20);
}

/** Holds `count` stalled connections; makes one round for each line that it is sent, and tells what it found. */
async function client(port: number, count: number): Promise<void> {
  // Addresses by turns: one pair of addresses has ports for some 28,000 connections.
  const lookup = (host: string) =>
    Promise.resolve({ addresses: [`127.0.0.${2 + (Number(/\d+/.exec(host)![0]) % 8)}`] });
  const noop = () => {};
  const fetcher = createHttpFetcher({
    guard: createAddressGuard(["127.0.0.0/8"]),
    resolver: createResolver({ clock: systemClock, lookup }),
    clock: systemClock,
    log: { debug: noop, info: noop, warn: noop, error: noop },
  });
  const before = process.memoryUsage.rss();
  await stall(fetcher, port, count);
  const stalledMb = Math.round((process.memoryUsage.rss() - before) / 1e6);
  await round(fetcher, port);
  console.log(JSON.stringify({ stalledMb }));
  for await (const _ of createInterface({ input: process.stdin })) {
    console.log(JSON.stringify({ ...await round(fetcher, port), rssMb: Math.round(process.memoryUsage.rss() / 1e6) }));
  }
  process.exit(0);
}

function child(...args: string[]): { readonly process: ChildProcess; next(): Promise<string> } {
  const flags = RUNTIME_NAME === "deno" ? ["run", "-A", "--no-check"] : ["run"];
  const command = [...flags, fileURLToPath(import.meta.url), ...args];
  const spawned = spawn(process.execPath, command, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: spawned.stdout! })[Symbol.asyncIterator]();
  return { process: spawned, next: async () => String((await lines.next()).value) };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

async function measure(count: number, rounds: number): Promise<void> {
  const server = child("serve");
  const port = await server.next();
  const clients = [child("client", port, "0"), child("client", port, String(count))];
  const grown: number[] = [];
  for (const one of clients) grown.push(JSON.parse(await one.next()).stalledMb);
  const found: { rate: number; cpu: number; rssMb: number }[][] = [[], []];
  for (let i = 0; i < rounds; i++) {
    // Each is first as often as the other.
    for (const at of i % 2 === 0 ? [0, 1] : [1, 0]) {
      clients[at]!.process.stdin!.write("go\n");
      found[at]!.push(JSON.parse(await clients[at]!.next()));
    }
  }
  const [alone, beside] = found as [typeof found[0], typeof found[0]];
  const part = (name: "rate" | "cpu") => ({
    alone: Math.round(median(alone.map((one) => one[name]))),
    beside: Math.round(median(beside.map((one) => one[name]))),
    ratio: Number(median(beside.map((one, i) => one[name] / alone[i]![name])).toFixed(3)),
  });
  console.log(JSON.stringify({
    runtime: RUNTIME_NAME,
    stalled: count,
    stalledMb: grown[1],
    rssMb: { alone: alone.at(-1)!.rssMb, beside: beside.at(-1)!.rssMb },
    pagesPerSecond: part("rate"),
    cpuMicrosPerPage: part("cpu"),
  }));
  for (const one of [...clients, server]) one.process.kill();
}

const [first = "5000", second = "15", third = "0"] = process.argv.slice(2);
if (first === "serve") serve();
else if (first === "client") await client(Number(second), Number(third));
else await measure(Number(first), Number(second));
