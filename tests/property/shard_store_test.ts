/**
 * Whatever is asked of it, in whatever order, a shard on libSQL answers as the one in RAM does, reopened or not.
 * Invariant: both stores get the same calls; a batch is made only from rows that the contract allows.
 */

import assert from "node:assert/strict";
import fc from "fast-check";
import { type Batch, type ShardStore, type UrlRow, type UrlState } from "../../coordinator/ports.ts";
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
  readonly known = new Map<string, UrlRow>();
  batchSeq = 0;
  seq = 0;

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
      received: [{ leaseId: text, seq: n }],
      tallies: n % 3 === 1 ? [] : [
        rows.tallyRow(host, { slot, crawlId: CRAWLS[n % 2]!, acceptedBefore: n, rejectedByReason: { [`r${n}`]: n } }),
      ],
      robotsBodies: [{ digest: `d${n % 5}`, body: text }],
      counters: [rows.counters(CRAWLS[n % 2]!, { accepted: this.known.size, errorsByClass: { [`e${n}`]: n } })],
    });
  }
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
    received: [...await store.receivedBefore([{ leaseId: "", seq: limit }, { leaseId: part.row.reason!, seq: 1 }])],
  };
}

type Pair = readonly [memory: ShardStore, libsql: ShardStore];

async function perform(step: Operation, pair: Pair, script: Script): Promise<void> {
  switch (step.kind) {
    case "commit": {
      const next = script.batch(step);
      for (const store of pair) await store.commit(next);
      return;
    }
    case "refused": {
      const wrong = rows.batch(script.batchSeq + step.off, { hosts: [rows.hostRow("never.example")] });
      for (const store of pair) await assert.rejects(store.commit(wrong));
      return;
    }
    case "reopen":
      for (const store of pair) {
        await store.close();
        await store.open("again", 1);
      }
      return;
    case "ask": {
      const [memory, libsql] = [await ask(pair[0], step, script.known), await ask(pair[1], step, script.known)];
      assert.deepEqual(libsql, memory);
    }
  }
}

test("a shard on libSQL answers as the one in RAM does", async () => {
  const folder = temporaryFolder();
  let run = 0;
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 14 }), async (steps) => {
        const memory = new MemoryShardStore(new MemoryShardDisk());
        const location = folder.file(`${run++}.db`);
        const libsql = openLibsqlShardStore({ location, clock: systemClock });
        const script = new Script();
        const pair = [memory, libsql] as const;
        try {
          for (const store of pair) await store.open("first", 1);
          for (const step of steps) await perform(step, pair, script);
          assert.deepEqual(await everything(libsql), await everything(memory));
          await systemClock.sleep(0);
        } finally {
          await libsql.close();
        }
      }),
      { numRuns: RUNS },
    );
  } finally {
    await folder.remove();
  }
}, { timeoutMs: 120_000 });
