import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "../../../tests/support/test.ts";
import type { UrlRow } from "../../ports.ts";
import { BackQueue, type Position } from "./back_queue.ts";

function row(band: number, seq: number): UrlRow {
  return { band, seq, fingerprint: BigInt(seq), crawlId: "c", host: "a.example", slot: 1 } as UrlRow;
}

const order = (a: Position, b: Position) => a.band - b.band || a.seq - b.seq;

/** What the store would answer after `edge`. */
function readAfter(rows: readonly UrlRow[], edge: Position, limit: number): UrlRow[] {
  return rows.filter((one) => order(one, edge) > 0).sort(order).slice(0, limit);
}

/** insert a band, take some heads, hand back what was taken last, read on in the store, or move a ready URL. */
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("insert" as const),
      band: fc.integer({ min: 0, max: 3 }),
      isFull: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("take" as const), count: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("hand back" as const), isFull: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("fill" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("settle" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("move" as const),
      which: fc.nat(),
      band: fc.integer({ min: 0, max: 3 }),
      isFull: fc.boolean(),
    }),
  },
);

test("whatever happens, heads are the first ready URLs in order, and none is lost or doubled", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 1, max: 8 }), (steps, mostHeads) => {
      const queue = new BackQueue({ slot: 1, crawlId: "c", host: "a.example" });
      const stored: UrlRow[] = [];
      let leased: UrlRow[] = [];
      let seq = 0;
      for (const one of steps) {
        if (one.kind === "insert") {
          const fresh = row(one.band, ++seq);
          stored.push(fresh);
          const heads = queue.heads.length;
          const added = queue.insert(fresh, one.isFull ? 0 : mostHeads);
          assert.equal(queue.heads.length, heads + added);
          if (one.isFull) assert.ok(added <= 0);
        } else if (one.kind === "take" && leased.length === 0) {
          let left = one.count;
          leased = queue.take(() => left-- > 0);
        } else if (one.kind === "hand back") {
          for (const back of leased) queue.insert(back, one.isFull ? 0 : mostHeads);
          leased = [];
        } else if (one.kind === "settle") {
          for (const done of leased) stored.splice(stored.indexOf(done), 1);
          leased = [];
        } else if (one.kind === "move") {
          const ready = stored.filter((url) => !leased.includes(url));
          if (ready.length === 0) continue;
          const before = ready[one.which % ready.length]!;
          const after = row(one.band, before.seq);
          stored[stored.indexOf(before)] = after;
          const heads = queue.heads.length;
          const added = queue.move(before, after, one.isFull ? 0 : mostHeads);
          assert.equal(queue.heads.length, heads + added);
        } else if (one.kind === "fill" && queue.beyond > 0) {
          const size = mostHeads + leased.length;
          const rows = readAfter(stored, queue.edge, size);
          queue.fill(rows, rows.length < size, (fingerprint) => leased.some((url) => url.fingerprint === fingerprint));
        }
        const ready = stored.filter((url) => !leased.includes(url)).sort(order);
        assert.equal(queue.ready, ready.length);
        assert.deepEqual(queue.heads.map((url) => url.seq), ready.slice(0, queue.heads.length).map((url) => url.seq));
        if (queue.beyond === 0) assert.equal(queue.heads.length, ready.length);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("a start knows counts only; heads come when they are read", () => {
  const summary = { slot: 1, crawlId: "c", host: "a.example", accepted: 9, band: 2, nextAvailableAt: 77 };
  const queue = BackQueue.load({ ...summary, ready: 5, waiting: 1 }, 2);
  assert.deepEqual([queue.ready, queue.beyond, queue.band, queue.nextAvailableAt], [3, 3, 2, 77]);
  assert.equal(queue.needsStore(1, 0), true);
  const rows = [1, 2, 3, 4, 5].map((seq) => row(2, seq));
  queue.fill(rows, true, (fingerprint) => fingerprint <= 2n);
  assert.deepEqual(queue.heads.map(({ seq }) => seq), [3, 4, 5]);
  assert.equal(queue.needsStore(50, 0), false);
  assert.equal(queue.needsStore(50, 77), true, "a waiting URL is due");
});
