/**
 * What every ShardStore does about its owner and about the order of batches.
 * Invariant: a commit that is refused leaves no trace.
 */

import assert from "node:assert/strict";
import { OwnerLost } from "../../coordinator/owner_ports.ts";
import {
  batch,
  captureRow,
  counters,
  held,
  hostRow,
  keyOf,
  leaseRow,
  outboxRow,
  urlRow,
} from "../support/shard_rows.ts";
import { type It, reopened } from "./shard_shelf.ts";

export function ownerCases(it: It): void {
  it("an empty shard loads as empty", async (store) => {
    const snapshot = await store.load();
    assert.equal(snapshot.batchSeq, 0);
    assert.equal(snapshot.urlCount, 0);
    assert.deepEqual([snapshot.hosts, snapshot.backQueues, snapshot.leases, snapshot.counters], [[], [], [], []]);
    assert.equal(await store.lastBatchSeq(), 0);
  });

  it("each open takes a higher owner term", async (store, shelf) => {
    const { ownerTerm } = await store.open("again", 1);
    const other = await reopened(store, shelf, async (next) => (await next.open("third", 1)).ownerTerm);
    assert.ok(other > ownerTerm, `${other} is no higher than ${ownerTerm}`);
  });

  it("of two that open at once, each gets a term of its own, and the higher one owns", async (store, shelf) => {
    await store.commit(batch(1));
    const [a, b] = [shelf.handle(), shelf.handle()];
    try {
      const terms = await Promise.all([a.open("a", 1), b.open("b", 1)]);
      assert.notEqual(terms[0].ownerTerm, terms[1].ownerTerm);
      const [owner, loser] = terms[0].ownerTerm > terms[1].ownerTerm ? [a, b] : [b, a];
      await assert.rejects(loser.commit(batch(2)), OwnerLost);
      await owner.commit(batch(2));
    } finally {
      await a.close();
      await b.close();
    }
  });

  it("an earlier owner's commit is refused with OwnerLost and changes nothing", async (store, shelf) => {
    await store.commit(batch(1, { newUrls: [urlRow(1)] }));
    const thief = shelf.handle();
    await thief.open("thief", 1);
    try {
      await assert.rejects(store.commit(batch(2, { newUrls: [urlRow(2)] })), OwnerLost);
      assert.equal(await thief.lastBatchSeq(), 1);
      assert.deepEqual(await held(thief, [keyOf(urlRow(1)), keyOf(urlRow(2))]), [1, 0]);
      await thief.commit(batch(2, { newUrls: [urlRow(3)] }));
    } finally {
      await thief.close();
    }
  });

  it("of two that take over the term that they watched, one gets it", async (store, shelf) => {
    const term = (await shelf.reader().look())!.ownerTerm;
    const [a, b] = [shelf.handle(), shelf.handle()];
    try {
      const taken = await Promise.allSettled([a.open("a", 1, term), b.open("b", 1, term)]);
      const lost = taken.flatMap((one) => one.status === "rejected" ? [one.reason] : []);
      assert.equal(lost.length, 1);
      assert.ok(lost[0] instanceof OwnerLost, String(lost[0]));
      const winner = taken[0]!.status === "fulfilled" ? a : b;
      await winner.commit(batch(1));
      await assert.rejects(store.commit(batch(2)), OwnerLost);
    } finally {
      await a.close();
      await b.close();
    }
  });

  it("what is given back belongs to nobody, and who gave it back commits no more", async (store, shelf) => {
    const reader = shelf.reader();
    await store.commit(batch(1));
    await store.giveBack();
    const look = (await reader.look())!;
    assert.deepEqual([look.owner, look.batchSeq], ["", 1]);
    await assert.rejects(store.commit(batch(2)), OwnerLost);
    const next = shelf.handle();
    await next.open("next", 1, look.ownerTerm);
    await store.giveBack();
    await assert.rejects(store.beat(1), OwnerLost);
    await next.commit(batch(2));
    assert.equal((await reader.look())!.owner, "next");
    await next.close();
    await reader.close();
  });

  it("a reader sees the owner, each commit, its clock, and what there is of each crawl", async (store, shelf) => {
    const reader = shelf.reader();
    const before = (await reader.look())!;
    assert.deepEqual([before.owner, before.batchSeq, before.ownerWallMs, before.crawls], ["first", 0, 0, []]);
    await store.commit(batch(1, { newUrls: [urlRow(1)], wallMs: 1_790_000_000_123 }));
    await store.beat(1_790_000_000_124);
    assert.deepEqual([(await reader.look())!.batchSeq, (await reader.look())!.ownerWallMs], [1, 1_790_000_000_124]);
    const lease = leaseRow("a.example", { crawlId: "default" });
    await store.commit(batch(2, {
      wallMs: 1_790_000_000_456,
      counters: [counters("default", { accepted: 1, sent: 3 })],
      leases: [lease],
      outbox: [outboxRow("l1", 1), outboxRow("l1", 2)],
      robotsBodies: [{ digest: "d1", body: "User-agent: *" }],
      captures: [captureRow(1, "w1/a.warc.gz")],
    }));
    const after = (await reader.look())!;
    assert.deepEqual([after.batchSeq, after.ownerWallMs], [2, 1_790_000_000_456]);
    assert.deepEqual(after.ownerTerm, before.ownerTerm);
    const known = after.crawls.find(({ crawlId }) => crawlId === "default")!;
    assert.equal(known.counters?.sent, 3);
    assert.deepEqual([known.leases, known.leasedPages], [1, lease.fingerprints.length]);
    assert.equal(after.crawls.reduce((sum, { outboxRows }) => sum + outboxRows, 0), 2);
    const rows = await reader.lookUp([keyOf(urlRow(1)), keyOf(urlRow(2))]);
    assert.deepEqual(rows, [urlRow(1), undefined]);
    assert.equal(await reader.robotsBody("d1"), "User-agent: *");
    assert.deepEqual(await reader.captures("", 0, 5), await store.captures("", 0, 5));
    const hash = (await store.captures("", 0, 1))[0]!.content_hash;
    assert.deepEqual(await reader.capturesOfContent(hash, 5), await store.capturesOfContent(hash, 5));
    await reader.close();
  });

  it("another keyVersion is refused in one sentence, and the data stay", async (store, shelf) => {
    await store.commit(batch(1, { newUrls: [urlRow(1)] }));
    await store.close();
    const newer = shelf.handle();
    await assert.rejects(newer.open("newer", 2), /keyVersion 1\b.* 2\b/s);
    await newer.close();
    const same = shelf.handle();
    await same.open("same", 1);
    assert.equal(await same.lastBatchSeq(), 1);
    await same.close();
  });
}

export function batchCases(it: It): void {
  it("a batch out of order is refused, is no OwnerLost, and the next in order goes through", async (store) => {
    await store.commit(batch(1, { newUrls: [urlRow(1)] }));
    for (const batchSeq of [1, 3, 0]) {
      await assert.rejects(store.commit(batch(batchSeq, { newUrls: [urlRow(9)] })), (error) => {
        assert.ok(error instanceof Error && !(error instanceof OwnerLost));
        assert.match(error.message, /batch/);
        return true;
      });
    }
    assert.equal(await store.lastBatchSeq(), 1);
    await store.commit(batch(2, { newUrls: [urlRow(2)] }));
    assert.deepEqual(await held(store, [urlRow(1), urlRow(2), urlRow(9)].map(keyOf)), [1, 1, 0]);
  });

  it("a new URL that the store holds already fails the whole batch", async (store) => {
    await store.commit(batch(1, { newUrls: [urlRow(1)] }));
    const both = batch(2, { newUrls: [urlRow(2), urlRow(1)], hosts: [hostRow("a.example")] });
    await assert.rejects(store.commit(both));
    assert.equal(await store.lastBatchSeq(), 1);
    assert.deepEqual(await held(store, [keyOf(urlRow(2))]), [0]);
    assert.deepEqual((await store.load()).hosts, []);
    await store.commit(batch(2, { newUrls: [urlRow(2)] }));
    assert.equal((await store.load()).urlCount, 2);
  });
}
