/**
 * What every ShardStore does, told as tests; each adapter runs it from its own `*_test.ts`.
 * Invariant: a test reaches the data only through the port, and through a second handle on the same data.
 */

import assert from "node:assert/strict";
import { OwnerLost } from "../../coordinator/owner_ports.ts";
import type { ShardStore, UrlRow } from "../../coordinator/ports.ts";
import {
  addressRow,
  batch,
  captureRow,
  counters,
  domainRow,
  held,
  hostRow,
  keyOf,
  leaseRow,
  originRow,
  outboxRow,
  tallyRow,
  urlRow,
} from "../support/shard_rows.ts";
import { batchCases, ownerCases } from "./shard_owner_cases.ts";
import { recrawlCases } from "./shard_recrawl_cases.ts";
import { seenCases } from "./shard_seen_cases.ts";
import { slotCases } from "./shard_slot_cases.ts";
import { declarer, type It, reopened, type ShardShelf } from "./shard_shelf.ts";

const QUEUE = { slot: 7, crawlId: "default", host: "a.example" };
const START = { band: -1, seq: -1 };

export function runShardStoreSuite(name: string, makeShelf: () => Promise<ShardShelf>): void {
  const it = declarer(name, makeShelf);
  ownerCases(it);
  batchCases(it);
  urls(it);
  changes(it);
  queues(it);
  state(it);
  tallies(it);
  logs(it);
  seenCases(it);
  recrawlCases(it);
  slotCases(it);
}

function urls(it: It): void {
  it("a URL comes back as it went in, now and after a reopen", async (store, shelf) => {
    const rows = [
      urlRow(1),
      urlRow(2, { fingerprint: 0n, state: "waiting", availableAt: 1_790_000_001_000, attempts: 2, reason: "dns" }),
      urlRow(3, { fingerprint: (1n << 64n) - 1n, state: "done", httpCode: 200, lastFetchAt: 1_790_000_000_001 }),
      urlRow(4, { fingerprint: 1n << 63n, state: "excluded", reason: 'robots: Disallow: "/ü\u0000\ud800" (line 3)' }),
      urlRow(5, { state: "dead", host: "b.example", domain: "b.example", slot: 4095, crawlId: "other", priority: 1 }),
    ];
    await store.commit(batch(1, { newUrls: rows }));
    assert.deepEqual(await store.urls(rows.map(keyOf)), rows);
    await reopened(store, shelf, async (next) => assert.deepEqual(await next.urls(rows.map(keyOf)), rows));
  });

  it("keys are answered in their order, unknown ones and repeats included", async (store) => {
    const [a, b, c] = [urlRow(1), urlRow(2), urlRow(3)];
    await store.commit(batch(1, { newUrls: [a, b] }));
    const elsewhere = [{ ...keyOf(a), crawlId: "other" }, { ...keyOf(c), crawlId: "none" }];
    const keys = [keyOf(c), keyOf(b), ...elsewhere, keyOf(a), keyOf(b)];
    for (let twice = 0; twice < 2; twice++) {
      assert.deepEqual(await held(store, keys), [0, 1, 0, 0, 1, 1]);
      assert.deepEqual(await store.urls(keys), [undefined, b, undefined, undefined, a, b]);
    }
    assert.deepEqual(await held(store, []), []);
    assert.deepEqual(await store.urls([]), []);
  });
}

function changes(it: It): void {
  it("a changed URL is wholly replaced", async (store) => {
    const row = urlRow(1);
    await store.commit(batch(1, { newUrls: [row] }));
    const changed = urlRow(1, {
      state: "waiting",
      band: 0,
      seq: 99,
      priority: 0.7,
      depth: 1,
      hop: 0,
      discoveryPath: "I",
      discoveredFrom: "",
      availableAt: 1_790_000_005_000,
      attempts: 1,
      reason: "http_503",
      httpCode: 503,
      lastFetchAt: 1_790_000_000_123.75,
      inLinks: 64,
      visits: 3,
      changes: 1,
      watchedMs: 86_400_000.5,
      lastContentHash: "00ff00ff00ff00ff",
      captureSeq: 4_294_967_297,
      worker: "tokyo.2",
    });
    await store.commit(batch(2, { changedUrls: [changed] }));
    assert.deepEqual(await store.urls([keyOf(row)]), [changed]);
    assert.equal((await store.load()).urlCount, 1);
  });

  it("a changed URL that the store doesn't hold fails the whole batch", async (store) => {
    await assert.rejects(store.commit(batch(1, { newUrls: [urlRow(1)], changedUrls: [urlRow(2)] })), (error) => {
      assert.ok(error instanceof Error && !(error instanceof OwnerLost));
      return true;
    });
    await store.commit(batch(1, { newUrls: [urlRow(2)] }));
    assert.deepEqual(await held(store, [urlRow(1), urlRow(2)].map(keyOf)), [0, 1]);
  });
}

function queues(it: It): void {
  it("ready URLs are read in (band, seq) order, in pages, of one back queue only", async (store) => {
    const rows = [
      urlRow(1, { band: 5 }),
      urlRow(2, { band: 1 }),
      urlRow(3, { band: 5 }),
      urlRow(4, { band: 1 }),
      urlRow(5, { band: 1, state: "done" }),
      urlRow(6, { band: 0, state: "waiting", availableAt: 5 }),
      urlRow(7, { band: 0, host: "www.a.example" }),
      urlRow(8, { band: 0, crawlId: "other" }),
    ];
    await store.commit(batch(1, { newUrls: rows }));
    const seqs = async (after: typeof START, limit: number) =>
      (await store.readReady(QUEUE, after, limit)).map((row) => row.seq);
    assert.deepEqual(await seqs(START, 10), [2, 4, 1, 3]);
    assert.deepEqual(await seqs(START, 3), [2, 4, 1]);
    assert.deepEqual(await seqs({ band: 1, seq: 4 }, 10), [1, 3]);
    assert.deepEqual(await seqs({ band: 5, seq: 3 }, 10), []);
    assert.deepEqual(await store.readReady({ ...QUEUE, host: "none.example" }, START, 10), []);
    assert.deepEqual(await store.readReady({ ...QUEUE, crawlId: "none" }, START, 10), []);
    assert.deepEqual((await store.readReady(QUEUE, START, 1))[0], rows[1]);
  });

  it("waiting URLs are read up to a time, earliest first", async (store) => {
    const at = (seq: number, availableAt: number) => urlRow(seq, { state: "waiting", availableAt });
    await store.commit(batch(1, { newUrls: [at(1, 300), at(2, 100), at(3, 200), urlRow(4)] }));
    const seqs = async (until: number, limit: number) =>
      (await store.readWaiting(QUEUE, until, limit)).map((row) => row.seq);
    assert.deepEqual(await seqs(99, 10), []);
    assert.deepEqual(await seqs(200, 10), [2, 3]);
    assert.deepEqual(await seqs(1000, 2), [2, 3]);
    await store.commit(batch(2, { changedUrls: [urlRow(2)] }));
    assert.deepEqual(await seqs(1000, 10), [3, 1]);
    assert.deepEqual((await store.readReady(QUEUE, START, 10)).map((row) => row.seq), [2, 4]);
  });

  it("load sums each back queue up; its budget counts every URL ever accepted", async (store, shelf) => {
    await store.commit(batch(1, {
      newUrls: [
        urlRow(1, { band: 4 }),
        urlRow(2, { band: 2 }),
        urlRow(3, { state: "waiting", availableAt: 900 }),
        urlRow(4, { state: "waiting", availableAt: 700 }),
        urlRow(5, { state: "done" }),
        urlRow(6, { slot: 9, host: "z.example", state: "dead" }),
      ],
    }));
    await store.commit(batch(2, { newUrls: [urlRow(7)], changedUrls: [urlRow(2, { state: "done" })] }));
    await reopened(store, shelf, async (next) => {
      const snapshot = await next.load();
      const [a, z] = [...snapshot.backQueues].sort((x, y) => x.slot - y.slot);
      assert.deepEqual(a, { ...QUEUE, ready: 2, waiting: 2, accepted: 6, band: 3, nextAvailableAt: 700 });
      assert.equal(z!.host, "z.example");
      assert.deepEqual([z!.ready, z!.waiting, z!.accepted, z!.nextAvailableAt], [0, 0, 1, 0]);
      assert.deepEqual([snapshot.urlCount, snapshot.batchSeq], [7, 2]);
      assert.ok(snapshot.nextUrlSeq > 7, `nextUrlSeq is ${snapshot.nextUrlSeq}`);
    });
  });
}

function state(it: It): void {
  it("hosts and origins are replaced by key and survive a reopen", async (store, shelf) => {
    const other = hostRow("c.example", { slot: 8 });
    await store.commit(batch(1, {
      hosts: [hostRow("a.example"), hostRow("b.example"), other],
      origins: [originRow("https://a.example"), originRow("http://a.example:8080")],
    }));
    const newHost = hostRow("a.example", { epoch: 9, paused: true, blockedReason: "policy" });
    const newOrigin = originRow("https://a.example", { class: "unreachable", failingSince: 5 });
    await store.commit(batch(2, { hosts: [newHost], origins: [newOrigin] }));
    await reopened(store, shelf, async (next) => {
      const { hosts, origins } = await next.load();
      const byKey = [...hosts].sort((x, y) => x.slot - y.slot || (x.host < y.host ? -1 : 1));
      assert.deepEqual(byKey, [newHost, hostRow("b.example"), other]);
      const byOrigin = [...origins].sort((x, y) => (x.origin < y.origin ? -1 : 1));
      assert.deepEqual(byOrigin, [originRow("http://a.example:8080"), newOrigin]);
    });
  });

  it(
    "domains and addresses are replaced by key, survive a reopen, and go when they say nothing",
    async (store, shelf) => {
      const [a, b] = [domainRow("a.example"), domainRow("b.example", { slot: 8, paused: true, visits: [] })];
      const [one, two] = [addressRow("192.0.2.1"), addressRow("2001:db8:0:0:0:0:0:0/64", { slot: 4095 })];
      await store.commit(batch(1, { domains: [a, b], addresses: [one, two] }));
      const newB = { ...b, policyDelayMs: 9_000.5, blockedReason: 'robots "\u0000"' };
      const newTwo = { ...two, permits: [...two.permits, { ...two.permits[0]!, leaseId: "next", startsUntil: 0 }] };
      const silent = domainRow("a.example", { policyDelayMs: -1, visits: [] });
      await store.commit(batch(2, { domains: [newB, silent], addresses: [newTwo, { ...one, permits: [] }] }));
      await reopened(store, shelf, async (next) => {
        const { domains, addresses } = await next.load();
        assert.deepEqual([domains, addresses], [[newB], [newTwo]]);
      });
    },
  );

  it("leases come and go; an ended lease makes room for a new one of the same batch", async (store, shelf) => {
    const [a, b] = [leaseRow("a.example"), leaseRow("b.example", { fingerprints: [], robotsOrigins: [] })];
    await store.commit(batch(1, { leases: [a, b] }));
    const again = leaseRow("a.example", { leaseId: "next", epoch: 5, fingerprints: [(1n << 64n) - 1n] });
    const ended = [{ slot: 7, host: "a.example" }, { slot: 7, host: "b.example" }, { slot: 1, host: "none.example" }];
    assert.deepEqual((await store.load()).leases.length, 2);
    await store.commit(batch(2, { endedLeases: ended, leases: [again] }));
    await reopened(store, shelf, async (next) => assert.deepEqual((await next.load()).leases, [again]));
  });

  it("robots bodies are kept by digest, byte for byte", async (store) => {
    const body = "User-agent: *\r\nDisallow: /é\u0000\ufffd\u{1f600}\n" + "x".repeat(600_000);
    await store.commit(batch(1, { robotsBodies: [{ digest: "d1", body }, { digest: "d2", body: "" }] }));
    await store.commit(batch(2, { robotsBodies: [{ digest: "d1", body }] }));
    assert.equal(await store.robotsBody("d1"), body);
    assert.equal(await store.robotsBody("d2"), "");
    assert.equal(await store.robotsBody("d3"), undefined);
  });

  it("counters are per crawl, the newest stands", async (store, shelf) => {
    await store.commit(batch(1, { counters: [counters("default"), counters("other")] }));
    const newest = counters("default", { accepted: 11, rejectedByReason: { scope: 4, trap: 1 } });
    await store.commit(batch(2, { counters: [newest], newUrls: [urlRow(1)] }));
    await reopened(store, shelf, async (next) => {
      const found = [...(await next.load()).counters].sort((x, y) => (x.crawlId < y.crawlId ? -1 : 1));
      assert.deepEqual(found, [newest, counters("other")]);
    });
  });
}

function tallies(it: It): void {
  it("tallies are per crawl and host, the newest stands, now and after a reopen", async (store, shelf) => {
    const [a, b] = [tallyRow("a.example"), tallyRow("b.example", { slot: 4095, isCut: false, families: [] })];
    const other = tallyRow("a.example", { crawlId: "other", rejectedByReason: {} });
    const strangers = tallyRow("", { slot: 0, rejectedByReason: { scope: 1e9 } });
    await store.commit(batch(1, { tallies: [a, b, other, strangers] }));
    const newest = tallyRow("b.example", { slot: 4095, cycle: 3, acceptedBefore: 90 });
    await store.commit(batch(2, { tallies: [newest] }));
    const names = (rows: readonly { crawlId: string; host: string }[]) =>
      [...rows].sort((x, y) => (`${x.crawlId} ${x.host}` < `${y.crawlId} ${y.host}` ? -1 : 1));
    await reopened(store, shelf, async (next) => {
      assert.deepEqual(names((await next.load()).tallies), names([a, newest, other, strangers]));
    });
  });
}

function logs(it: It): void {
  it("URLs are looked up beside the frontier, and ready ones before a place in their queue counted", async (store) => {
    const rows = [
      urlRow(1, { band: 2 }),
      urlRow(2, { band: 1 }),
      urlRow(3, { band: 2 }),
      urlRow(4, { host: "b.a.example" }),
    ];
    const done = urlRow(5, { band: 0, state: "done" });
    await store.commit(batch(1, { newUrls: [...rows, done] }));
    assert.deepEqual(await store.lookUp([keyOf(rows[2]!), keyOf(urlRow(9)), keyOf(rows[0]!)]), [
      rows[2],
      undefined,
      rows[0],
    ]);
    const before = (row: UrlRow, limit = 100) => store.readyBefore(row, row, limit);
    assert.deepEqual(await Promise.all(rows.map((row) => before(row))), [1, 0, 2, 0]);
    assert.equal(await before(rows[2]!, 1), 1);
    assert.equal(await before({ ...rows[2]!, crawlId: "none" }), 0);
  });

  it("captures are read by storage prefix after a number, without what only the page table keeps", async (store) => {
    const rows = [
      captureRow(1, "w1/a.warc.gz"),
      captureRow(2, "w2/a.warc.gz"),
      captureRow(3, "w1/b.warc.gz", { title: "T \ud800\u0000", location: "https://a.example/x", simhash: "ff" }),
      captureRow(5, "plain.warc.gz"),
    ];
    await store.commit(batch(1, { captures: rows }));
    const seqs = async (prefix: string, after: number, limit = 10) =>
      (await store.captures(prefix, after, limit)).map((row) => row.seq);
    assert.deepEqual(await seqs("", 0), [1, 2, 3, 5]);
    assert.deepEqual(await seqs("", 1, 2), [2, 3]);
    assert.deepEqual(await seqs("w1/", 0), [1, 3]);
    assert.deepEqual(await seqs("w1/b", 0), [3]);
    assert.deepEqual(await seqs("w1", 1), [3]);
    assert.deepEqual(await seqs("w%", 0), []);
    assert.deepEqual(await seqs("plain", 0), [5]);
    const { slot: _s, fingerprint: _f, textHash: _t, etag: _e, noindex: _n, ...third } = rows[2]!;
    assert.deepEqual((await store.captures("w1/", 1, 1))[0], third);
    assert.equal((await store.load()).nextCaptureSeq, 6);
  });

  it("captures that are withdrawn are gone, and their numbers never come again", async (store, shelf) => {
    const rows = Array.from({ length: 5 }, (_, index) => captureRow(index + 1, "w1/a"));
    await store.commit(batch(1, { captures: rows }));
    await store.commit(batch(2, { withdrawn: [5, 2, 4, 99] }));
    await reopened(store, shelf, async (again) => {
      assert.deepEqual((await again.captures("", 0, 9)).map(({ seq }) => seq), [1, 3]);
      assert.equal((await again.load()).nextCaptureSeq, 6);
    });
  });

  it("captures are found by their content, the newest first, however alike hashes begin", async (store, shelf) => {
    const alike = (end: string) => "f".repeat(62) + end;
    const hashes = [alike("01"), alike("02"), alike("01"), "0".repeat(64)];
    const rows = hashes.map((content_hash, i) => captureRow(i + 1, `w/${i}.warc.gz`, { content_hash }));
    await store.commit(batch(1, { captures: rows }));
    const seqs = async (from: ShardStore, hash: string, limit = 9) =>
      (await from.capturesOfContent(hash, limit)).map(({ seq }) => seq);
    assert.deepEqual(await seqs(store, alike("01")), [3, 1]);
    assert.deepEqual(await seqs(store, alike("01"), 1), [3]);
    await reopened(store, shelf, async (next) => {
      assert.deepEqual(await seqs(next, alike("02")), [2]);
      assert.deepEqual(await seqs(next, alike("03")), []);
      assert.deepEqual(await seqs(next, "0".repeat(64)), [4]);
    });
  });

  it("the outbox is read oldest first, until a row is acknowledged", async (store, shelf) => {
    const [a, b, c] = [outboxRow("z", 1), outboxRow("a", 1), outboxRow("z", 2)];
    await store.commit(batch(1, { outbox: [a, b] }));
    await store.commit(batch(2, { outbox: [c] }));
    assert.deepEqual(await store.readOutbox(2), [a, b]);
    await store.commit(batch(3, { ackedOutbox: [{ leaseId: "z", seq: 1 }, { leaseId: "none", seq: 1 }] }));
    await reopened(store, shelf, async (next) => {
      assert.deepEqual(await next.readOutbox(10), [b, c]);
      const named = [{ leaseId: "z", seq: 2 }, { leaseId: "z", seq: 1 }, { leaseId: "a", seq: 1 }];
      const found = await next.outboxRows(named);
      assert.deepEqual(found.sort((one, other) => one.lease_id < other.lease_id ? -1 : 1), [b, c]);
      assert.deepEqual(await next.outboxRows([]), []);
      assert.equal((await next.load()).outboxRows, 2);
    });
  });

  it("received rows are remembered", async (store, shelf) => {
    const rows = [["l1", 1], ["l1", 2], ["l2", 1]].map(([leaseId, seq]) => ({
      slot: 7,
      leaseId: String(leaseId),
      seq: Number(seq),
    }));
    await store.commit(batch(1, { received: [rows[0]!, rows[2]!] }));
    await store.commit(batch(2, { received: [rows[0]!] }));
    assert.deepEqual([...await store.receivedBefore([])], []);
    await reopened(store, shelf, async (next) => {
      assert.deepEqual([...await next.receivedBefore(rows)], [1, 0, 1]);
    });
  });
}
