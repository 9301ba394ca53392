/**
 * Two coordinators on one frontier and two edges, as processes of their own: one coordinator is killed midway, the other
 * takes its shards over, and the crawl comes to its ground truth.
 */

import assert from "node:assert/strict";
import process from "node:process";
import { FINISHING } from "../../bench/web/config.ts";
import { groundTruth } from "../../bench/web/mod.ts";
import { archivedNoPage, checkPages } from "../support/crawl_output.ts";
import { hranaServer, listenHrana } from "../support/hrana_server.ts";
import { type Answer, answerWhen, ask, isFinished } from "../support/operator.ts";
import { type Outrider, spawnOutrider } from "../support/outrider_process.ts";
import { freePorts } from "../support/ports.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";
import { checkCoverage, checkInvented } from "../support/web_checks.ts";
import { checkGaps, checkParallel, checkRobots } from "../support/web_manners.ts";
import { spawnWeb } from "../support/web_server.ts";

const TOKENS = "operator:op-secret edge:eu-1:eu-secret edge:us-1:us-secret";
const PATIENCE_MS = 60_000;
const DELAY_MS = 40;

const statsWhen = (base: string, crawlId: string, isWanted: (stats: Answer) => boolean): Promise<Answer> =>
  answerWhen(() => ask(base, `/v1/crawls/${crawlId}/stats`), isWanted, PATIENCE_MS);

/** Flags and environment that say where the databases are. */
interface Places {
  readonly flags: readonly string[];
  readonly env: Record<string, string>;
  close(): Promise<void>;
}

const inFiles = (): Promise<Places> => Promise.resolve({ flags: ["--shards", "4"], env: {}, close: async () => {} });

/** Four shards and a control database, each on a server of its own whose answers get lost now and then. */
async function onServers(file: (name: string) => string): Promise<Places> {
  const made = await Promise.all(["control", "s0", "s1", "s2", "s3"].map(async (name) => {
    const server = hranaServer(file(`${name}.db`), "db-secret");
    return { server, socket: await listenHrana(server) };
  }));
  const faults = ["answer", "503", "late", "expired"] as const;
  let turn = 0;
  const timer = setInterval(() => made.forEach(({ server }) => server.fail(faults[turn++ % faults.length]!)), 1_000);
  const [control, ...shards] = made.map(({ socket }) => socket.url);
  return {
    flags: ["--control", control!, ...shards.flatMap((url) => ["--shard", url])],
    env: { OUTRIDER_LIBSQL_TOKEN: "db-secret" },
    async close() {
      clearInterval(timer);
      for (const { server, socket } of made) {
        await socket.close();
        server.close();
      }
    },
  };
}

/** By hand: it takes half a minute. */
const BY_HAND = process.env.OUTRIDER_CLUSTER_SERVERS === "1" ? undefined : "OUTRIDER_CLUSTER_SERVERS isn't 1";

for (
  const { name, places, skip } of [
    { name: "files", places: inFiles, skip: undefined },
    { name: "libSQL servers whose answers get lost", places: onServers, skip: BY_HAND },
  ]
) {
  const title = `cluster on ${name}: a coordinator is killed midway, the other takes over, and nothing is lost`;
  test(title, () => killMidway(places), { timeoutMs: 180_000, skip });
}

async function killMidway(places: (file: (name: string) => string) => Promise<Places>): Promise<void> {
  const web = await spawnWeb({
    hosts: 8,
    pages: 80,
    pageKb: 2,
    links: 20,
    features: FINISHING.filter((feature) => feature !== "traps"),
  });
  const folder = temporaryFolder();
  const databases = await places(folder.file);
  const running: Outrider[] = [];
  const start = (args: string[], env: Record<string, string>) => {
    const outrider = spawnOutrider([...args, "--allow-address", "127.0.0.0/8"], { env });
    running.push(outrider);
    return outrider;
  };
  try {
    const data = [
      "--address-delay-ms",
      "5",
      "--domain-delay-ms",
      "5",
      "--contact",
      "ops@example.org",
      "--data",
      folder.file("coordinator"),
      "--owner-ttl-ms",
      "2000",
    ];
    const bases: string[] = [];
    const coordinators: Outrider[] = [];
    for (const _ of ["a", "b"]) {
      const [port] = await freePorts(1);
      const coordinator = start(["coordinator", "--cluster", "--port", String(port), ...data, ...databases.flags], {
        OUTRIDER_TOKENS: TOKENS,
        ...databases.env,
      });
      await coordinator.line(/listens on/);
      coordinators.push(coordinator);
      bases.push(`http://127.0.0.1:${port}`);
    }
    const [a, b] = bases as [string, string];
    for (const worker of ["eu-1", "us-1"]) {
      const of = ["--region", worker.slice(0, 2), "--worker", worker, "--data", folder.file(worker)];
      start(["edge", "--coordinator", a, "--coordinator", b, ...of], {
        OUTRIDER_TOKEN: `${worker.slice(0, 2)}-secret`,
      });
    }
    const shared = [a, a, b, b].sort().join();
    const owners = ({ shards }: Answer) => (shards as { owner_url?: string }[]).map(({ owner_url }) => owner_url ?? "");
    await answerWhen(() => ask(b, "/v1/shards"), (answer) => owners(answer).sort().join() === shared, PATIENCE_MS);
    const politeness = { delay_ms: DELAY_MS, delay_factor: 0 };
    const body = { seeds: [web.seed], scope: { kind: "any" }, politeness };
    const { crawl_id } = await ask(a, "/v1/crawls", { body });
    await statsWhen(a, String(crawl_id), ({ fetched }) => Number(fetched) > 15);
    coordinators[0]!.kill("SIGKILL");
    const stats = await statsWhen(b, String(crawl_id), isFinished);
    for (const edge of running.slice(2)) edge.kill("SIGTERM");
    for (const edge of running.slice(2)) await edge.ended;
    const log = await web.log();
    const truth = groundTruth(web.config);
    for (const check of [checkCoverage, checkInvented, checkRobots]) assert.deepEqual(check(log, truth), []);
    assert.deepEqual(checkParallel(log, { maxParallel: 1 }), []);
    assert.deepEqual(checkGaps(log, { delayMs: DELAY_MS }), []);
    const outputs = ["eu-1", "us-1"].map((worker) => `${folder.file(worker)}/${worker}`);
    const pages = outputs.flatMap((output) => archivedNoPage(output) ? [] : checkPages(output));
    assert.ok(pages.length >= Number(stats.fetched));
    assert.equal(new Set(pages.map((page) => page.url)).size, stats.fetched, "a page is missing in the archive");
  } finally {
    for (const outrider of running) outrider.kill("SIGKILL");
    await Promise.all(running.map((outrider) => outrider.ended));
    await databases.close();
    await web.stop();
    await folder.remove();
  }
}
