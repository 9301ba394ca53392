/**
 * Whatever is asked of it, in whatever order, a shard on libSQL answers as the one in RAM does, reopened or not, and
 * after crashes: then it goes on from its files as they lie, the log of the commit under way torn anywhere.
 * Invariant: both stores get the same calls; a batch is made only from rows that the contract allows. An acknowledged
 * batch survives each crash, one under way is there whole or not at all.
 */

import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { type Batch, type ShardStore, type UrlRow, type UrlState } from "../../coordinator/ports.ts";
import { SEEN_BLOCK_BYTES, type SeenWrites } from "../../coordinator/seen_ports.ts";
import { openLibsqlShardStore } from "../../coordinator/store/libsql_shard_store.ts";
import { MemoryShardDisk, MemoryShardStore } from "../../coordinator/store/memory_shard_store.ts";
import { systemClock } from "../../runtime/node.ts";
import * as rows from "../support/shard_rows.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";

const RUNS = 40;
const HOSTS = ["a.example", "b.example", "[2001:db8::1]"];
const CRAWLS = ["default", "other"];
/** Few fingerprints, so that operations meet; the ends of the signed range among them. */
const FINGERPRINTS = [0n, 1n, (1n << 53n) + 1n, (1n << 63n) - 1n, 1n << 63n, (1n << 64n) - 1n, 12345678901234567n];

const text = fc.string({ unit: "binary", maxLength: 12 });
const double = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => (value === 0 ? 0 : value));
const time = fc.integer({ min: 1, max: 2 ** 45 });

interface UrlPart {
  readonly host: number;
  readonly crawl: number;
  readonly print: number;
  readonly state: UrlState;
  readonly row: Partial<UrlRow>;
}

const urlPart: fc.Arbitrary<UrlPart> = fc.record({
  host: fc.nat(HOSTS.length - 1),
  crawl: fc.nat(CRAWLS.length - 1),
  print: fc.nat(FINGERPRINTS.length - 1),
  state: fc.constantFrom("ready", "waiting", "done", "excluded", "dead"),
  row: fc.record({
    band: fc.nat(7),
    priority: double,
    depth: fc.nat(20),
    reason: text,
    discoveredFrom: text,
    httpCode: fc.nat(599),
    attempts: fc.nat(3),
    lastFetchAt: fc.double({ min: 0, max: 2e12, noNaN: true }).map(Math.abs),
    inLinks: fc.nat(1024),
    changes: fc.nat(9),
    lastContentHash: text,
    captureSeq: fc.integer({ min: 0, max: 2 ** 40 }),
    worker: text,
  }),
});

const operation = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("commit" as const), parts: fc.array(urlPart), at: time, text, double }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("refused" as const), off: fc.constantFrom(-1, 0, 2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reopen" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("crash" as const),
      underWay: fc.record({ kind: fc.constant("commit" as const), parts: fc.array(urlPart), at: time, text, double }),
      // 0 = nothing of the commit under way is in the log, 1 = all of it.
      written: fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true })),
      garbage: fc.uint8Array({ maxLength: 5_000 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("ask" as const),
      until: time,
      limit: fc.integer({ min: 1, max: 9 }),
      part: urlPart,
    }),
  },
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** What is known of the rows so far: which exist, and the next numbers. */
class Script {
  readonly known: Map<string, UrlRow>;
  batchSeq: number;
  seq: number;

  constructor(before?: Script) {
    this.known = new Map(before?.known);
    this.batchSeq = before?.batchSeq ?? 0;
    this.seq = before?.seq ?? 0;
  }

  /** A batch of `parts`: rows that exist change, the others are new; a key stands once. */
  batch({ parts, at, text, double }: Extract<Operation, { kind: "commit" }>): Batch {
    const fresh = new Map<string, UrlRow>();
    const changed = new Map<string, UrlRow>();
    for (const part of parts) {
      const crawlId = CRAWLS[part.crawl]!;
      const fingerprint = FINGERPRINTS[part.print]!;
      const name = `${crawlId} ${fingerprint}`;
      const before = this.known.get(name);
      const host = before?.host ?? HOSTS[part.host]!;
      const availableAt = part.state === "waiting" ? at : 0;
      const place = { slot: HOSTS.indexOf(host), host, crawlId, fingerprint, state: part.state, availableAt };
      (before ? changed : fresh).set(name, rows.urlRow(++this.seq, { ...part.row, ...place }));
    }
    for (const [name, row] of [...fresh, ...changed]) this.known.set(name, row);
    const n = ++this.batchSeq;
    const host = HOSTS[n % HOSTS.length]!;
    const slot = HOSTS.indexOf(host);
    return rows.batch(n, {
      newUrls: [...fresh.values()],
      changedUrls: [...changed.values()],
      hosts: [rows.hostRow(host, { slot, responseMs: double * 1e4, blockedReason: text, nextStartAt: at + double })],
      domains: [
        rows.domainRow(host, {
          slot,
          policyDelayMs: n % 2 ? -1 : double,
          visits: n % 3 ? [] : rows.domainRow("").visits,
        }),
      ],
      addresses: [rows.addressRow(`192.0.2.${n % 4}`, { slot: n % 4, ...(n % 5 ? {} : { permits: [] }) })],
      origins: [rows.originRow(`https://${host}`, { slot, retryAt: at })],
      leases: n % 3 === 0 ? [rows.leaseRow(host, { slot, gapMs: double, fingerprints: FINGERPRINTS })] : [],
      endedLeases: n % 4 === 0 ? [{ slot, host }] : [],
      captures: [rows.captureRow(n, `${host}/${n}.warc.gz`, { title: text, simhash: text })],
      outbox: [rows.outboxRow(host, n)],
      ackedOutbox: n % 2 === 0 ? [{ leaseId: HOSTS[(n - 1) % HOSTS.length]!, seq: n - 1 }] : [],
      received: [{ slot, leaseId: text, seq: n }],
      tallies: n % 3 === 1 ? [] : [
        rows.tallyRow(host, { slot, crawlId: CRAWLS[n % 2]!, acceptedBefore: n, rejectedByReason: { [`r${n}`]: n } }),
      ],
      robotsBodies: [{ digest: `d${n % 5}`, body: text }],
      ...(n % 5 === 0 ? {} : { seenLog: Uint8Array.from({ length: n }, () => n) }),
      seen: seenWrites(n),
      counters: [rows.counters(CRAWLS[n % 2]!, { accepted: this.known.size, errorsByClass: { [`e${n}`]: n } })],
    });
  }
}

/** Runs come and go: run n has two blocks and two parts, takes the place of run n - 2, and frees what was run n - 3. */
function seenWrites(n: number): SeenWrites {
  const part = (runId: number, kind: "filter" | "directory") => ({ runId, kind, part: 0 });
  return {
    blocks: [{ firstBlock: 2 * n, bytes: new Uint8Array(2 * SEEN_BLOCK_BYTES).fill(n) }],
    parts: [
      { ...part(n, "filter"), bytes: Uint8Array.of(n) },
      { ...part(n, "directory"), bytes: Uint8Array.of(n, n) },
    ],
    newRuns: [{
      runId: n,
      firstBlock: 2 * n,
      blocks: 2,
      keys: n,
      coveredBatchSeq: n,
      tag: "t",
      directoryParts: 1,
      filterParts: 1,
    }],
    endedRuns: [n - 2],
    freedBlocks: [{ first: 2 * (n - 3), end: 2 * (n - 2) }],
    freedParts: [part(n - 3, "filter"), part(n - 3, "directory")],
    ...(n % 4 === 0 ? { logCovered: n - 3 } : {}),
  };
}

const byText = <T>(list: readonly T[]): T[] =>
  [...list].sort((a, b) => (show(a) < show(b) ? -1 : show(a) > show(b) ? 1 : 0));
const show = (value: unknown) => JSON.stringify(value, (_, item) => (typeof item === "bigint" ? `${item}n` : item));

/** Everything that `store` tells; what has no order is sorted. */
async function everything(store: ShardStore): Promise<unknown> {
  const { hosts, origins, domains, addresses, leases, backQueues, counters, tallies, ...rest } = await store.load();
  const keys = CRAWLS.flatMap((crawlId) => FINGERPRINTS.map((fingerprint) => ({ slot: 0, crawlId, fingerprint })));
  return {
    ...rest,
    lists: [hosts, origins, domains, addresses, leases, backQueues, counters, tallies].map((list) =>
      byText<unknown>(list)
    ),
    outbox: await store.readOutbox(1000),
    captures: await store.captures("", 0, 1000),
    ofHost: await store.captures("a.example/", 2, 1000),
    bodies: await Promise.all([0, 1, 2, 3, 4].map((n) => store.robotsBody(`d${n}`))),
    keys: keys.length,
    seen: await everythingSeen(store),
  };
}

async function everythingSeen(store: ShardStore): Promise<unknown> {
  const state = await store.seenState();
  const ids = state.runs.flatMap(({ firstBlock }) => [firstBlock + 1, firstBlock]);
  return {
    state,
    log: await store.seenLog(-1, 1000),
    blocks: (await store.seenBlocks(ids)).map((block) => [block.length, block[0]]),
    parts: await Promise.all(state.parts.map((part) => store.seenPart(part))),
  };
}

async function ask(
  store: ShardStore,
  { until, limit, part }: Extract<Operation, { kind: "ask" }>,
  known: ReadonlyMap<string, UrlRow>,
): Promise<unknown> {
  const queue = { slot: part.host, crawlId: CRAWLS[part.crawl]!, host: HOSTS[part.host]! };
  const absent = FINGERPRINTS.flatMap((fingerprint) => CRAWLS.map((crawlId) => ({ slot: 0, crawlId, fingerprint })))
    .filter(({ crawlId, fingerprint }) => !known.has(`${crawlId} ${fingerprint}`));
  const keys = [...absent, ...[...known.values()].map(rows.keyOf)];
  return {
    ready: await store.readReady(queue, { band: part.row.band!, seq: limit }, limit),
    waiting: await store.readWaiting(queue, until, limit),
    seen: await rows.held(store, keys),
    urls: await store.urls(keys),
    received: [
      ...await store.receivedBefore([
        { slot: 0, leaseId: "", seq: limit },
        { slot: part.host, leaseId: part.row.reason!, seq: 1 },
      ]),
    ],
  };
}

/** The two stores that are compared, and where they keep their data. */
interface World {
  readonly disk: MemoryShardDisk;
  readonly folder: ReturnType<typeof temporaryFolder>;
  memory: ShardStore;
  libsql: ShardStore;
  location: string;
  script: Script;
}

async function perform(step: Operation, world: World): Promise<void> {
  const pair = [world.memory, world.libsql];
  switch (step.kind) {
    case "commit": {
      const next = world.script.batch(step);
      for (const store of pair) await store.commit(next);
      return;
    }
    case "refused": {
      const wrong = rows.batch(world.script.batchSeq + step.off, { hosts: [rows.hostRow("never.example")] });
      for (const store of pair) await assert.rejects(store.commit(wrong));
      return;
    }
    case "reopen":
      for (const store of pair) {
        await store.close();
        await store.open("again", 1);
      }
      return;
    case "crash":
      return await crash(step, world);
    case "ask": {
      const { known } = world.script;
      assert.deepEqual(await ask(world.libsql, step, known), await ask(world.memory, step, known));
    }
  }
}

let crashes = 0;

/**
 * A file of which a share of what has changed was written. What a crash tore off is overwritten later, so that a file need
 * not grow by what is written to it.
 */
function torn(before: Uint8Array, after: Uint8Array, share: number): Uint8Array {
  let [from, to] = [0, after.length];
  while (from < before.length && before[from] === after[from]) from++;
  while (to > from && to <= before.length && before[to - 1] === after[to - 1]) to--;
  const written = from + Math.floor(share * (to - from));
  return Buffer.concat([after.subarray(0, written), before.subarray(written)]);
}

/** Both start again from what lies on their disks; a commit is under way on libSQL, and nobody was told of its end. */
async function crash(step: Extract<Operation, { kind: "crash" }>, world: World): Promise<void> {
  const { location, folder } = world;
  const log = () => existsSync(`${location}-wal`) ? readFileSync(`${location}-wal`) : new Uint8Array(0);
  const before = log();
  const ahead = new Script(world.script);
  const underWay = ahead.batch(step.underWay);
  await world.libsql.commit(underWay);
  world.location = folder.file(`crash-${crashes++}.db`);
  copyFileSync(location, world.location);
  writeFileSync(`${world.location}-wal`, Buffer.concat([torn(before, log(), step.written), step.garbage]));
  await world.libsql.close();
  world.libsql = openLibsqlShardStore({ location: world.location, clock: systemClock });
  await world.libsql.open("after the crash", 1);
  const isThere = await world.libsql.lastBatchSeq() === underWay.batchSeq;
  assert.equal(isThere, step.written === 1, "a commit is there once its last byte is, and not before");
  if (isThere) {
    await world.memory.commit(underWay);
    world.script = ahead;
  }
  world.memory = new MemoryShardStore(world.disk);
  await world.memory.open("after the crash", 1);
  assert.deepEqual(await everything(world.libsql), await everything(world.memory));
}

test("a shard on libSQL answers as the one in RAM does, crashes included", async () => {
  const folder = temporaryFolder();
  let run = 0;
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 14 }), async (steps) => {
        const location = folder.file(`${run++}.db`);
        const disk = new MemoryShardDisk();
        const libsql = openLibsqlShardStore({ location, clock: systemClock });
        const world: World = {
          disk,
          folder,
          memory: new MemoryShardStore(disk),
          libsql,
          location,
          script: new Script(),
        };
        try {
          for (const store of [world.memory, world.libsql]) await store.open("first", 1);
          for (const step of steps) await perform(step, world);
          assert.deepEqual(await everything(world.libsql), await everything(world.memory));
          await systemClock.sleep(0);
        } finally {
          await world.libsql.close();
        }
      }),
      { numRuns: RUNS },
    );
  } finally {
    await folder.remove();
  }
}, { timeoutMs: 120_000 });
