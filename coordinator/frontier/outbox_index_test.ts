import assert from "node:assert/strict";
import { evenSlotMap, type OutboxRow, SLOT_COUNT, withSlot } from "../../protocol/mod.ts";
import { test } from "../../tests/support/test.ts";
import { OutboxIndex } from "./outbox_index.ts";

const HANDED_OUT_MS = 30_000;

/** A row with `links` links for the first slot of this one of four shards. */
function row(seq: number, shard: number, links = 1): OutboxRow {
  const link = { url: "http://a.test/", depth: 0, hop: 0, discovery_path: "L", discovered_from: "", priority: 0.5 };
  const slot = (shard * SLOT_COUNT) / 4;
  return { slot, crawl_id: "c", lease_id: "l", seq, links: new Array(links).fill(link) };
}

class Outbox {
  readonly slots = { map: evenSlotMap(4) };
  readonly index = new OutboxIndex(this.slots);
  readonly rows = new Map<number, OutboxRow>();
  now = 0;

  add(seq: number, shard: number, links?: number): void {
    this.rows.set(seq, row(seq, shard, links));
    this.index.add(this.rows.get(seq)!);
  }

  /** As a lease request takes them: the sequence numbers. */
  take(count: number): number[] {
    const rows = this.index.next(count, this.now).map(({ seq }) => this.rows.get(seq)!);
    return this.index.handOut(rows, count, this.now).map(({ seq }) => seq);
  }

  acknowledge(seqs: readonly number[]): void {
    for (const seq of seqs) this.index.remove({ leaseId: "l", seq });
  }
}

test("outbox: rows are handed out once, the oldest first, and again when nobody has acknowledged them for long", () => {
  const outbox = new Outbox();
  for (let seq = 0; seq < 4; seq++) outbox.add(seq, 1);
  assert.deepEqual(outbox.take(3), [0, 1, 2]);
  outbox.acknowledge([1]);
  assert.deepEqual(outbox.take(3), [3]);
  outbox.now = HANDED_OUT_MS - 1;
  assert.deepEqual(outbox.take(9), []);
  outbox.now = HANDED_OUT_MS;
  assert.deepEqual(outbox.take(9).sort(), [0, 2, 3]);
  assert.equal(outbox.index.size, 3);
});

test("outbox: a shard whose owner is down holds up no rows of others, however many wait for it", () => {
  const outbox = new Outbox();
  for (let seq = 0; seq < 5_000; seq++) outbox.add(seq, 3);
  let taken = 0;
  let delivered = 0;
  for (let seq = 5_000; seq < 5_600; seq++) {
    outbox.add(seq, seq % 3);
    outbox.now += 1_000;
    const rows = outbox.take(16);
    taken += rows.length;
    const alive = rows.filter((some) => some >= 5_000);
    delivered += alive.length;
    outbox.acknowledge(alive);
  }
  assert.equal(delivered, 600, "in ten minutes, each at once");
  assert.ok(taken - delivered < 200, `${taken - delivered} rows were carried in vain`);
  assert.ok(taken - delivered >= 20, "it is tried from time to time");
});

test("outbox: once its owner is back, what waited for a shard goes as fast as ever", () => {
  const outbox = new Outbox();
  for (let seq = 0; seq < 1_000; seq++) outbox.add(seq, 3);
  for (let i = 0; i < 30; i++) {
    outbox.take(16);
    outbox.now += HANDED_OUT_MS;
  }
  let requests = 0;
  for (; outbox.index.size > 0 && requests < 1_000; requests++) {
    outbox.acknowledge(outbox.take(16));
    outbox.now += 1_000;
  }
  assert.ok(requests < 130, `${requests} requests for 1,000 rows, 16 each`);
});

test("outbox: rows of a slot that moves go the way of the shard that has it then", () => {
  const outbox = new Outbox();
  for (let seq = 0; seq < 200; seq++) outbox.add(seq, 3);
  assert.equal(outbox.take(100).length, 64, "one lane has a bounded number out");
  outbox.slots.map = withSlot(outbox.slots.map, (3 * SLOT_COUNT) / 4, 0);
  assert.deepEqual(outbox.index.longest(), { shard: 0, rows: 200 });
  assert.equal(outbox.take(100).length, 0, "those that are out count there too");
  outbox.acknowledge([0, 1]);
  assert.deepEqual(outbox.take(100), [64, 65]);
});

test("outbox: small rows of one crawl are merged when there are many, and never one that was out", () => {
  const outbox = new Outbox();
  for (let seq = 0; seq < 70; seq++) outbox.add(seq, 3);
  for (let seq = 70; seq < 140; seq++) outbox.add(seq, 2, 400);
  outbox.index.add(row(200, 3), true);
  assert.equal(outbox.index.mergeable().length, 70, "the large ones stay");
  const out = outbox.take(2);
  const names = outbox.index.mergeable().map(({ seq }) => seq);
  assert.deepEqual(names.filter((seq) => out.includes(seq) || seq >= 70), []);
  assert.ok(out.every((seq) => !outbox.index.isMergeable({ leaseId: "l", seq })));
  assert.ok(!outbox.index.isMergeable({ leaseId: "l", seq: 200 }), "an earlier process may have handed it out");
});
