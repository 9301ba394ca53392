/**
 * What every ShardStore does about slots that come and go.
 * Invariant: a slot is read whole and alone, page by page, and what is deleted is the slot's alone.
 */

import assert from "node:assert/strict";
import type { ShardStore } from "../../coordinator/ports.ts";
import type { SlotCursor, SlotMark, SlotPage } from "../../coordinator/slot_ports.ts";
import {
  addressRow,
  batch,
  captureRow,
  domainRow,
  held,
  hostRow,
  keyOf,
  originRow,
  tallyRow,
  urlRow,
} from "../support/shard_rows.ts";
import { type It, reopened } from "./shard_shelf.ts";

const SLOT = 7;

/** Two crawls, rows in all states, neighbours in the slots before and after. */
function content() {
  const urls = [
    urlRow(1),
    urlRow(2, { fingerprint: 0n, state: "waiting", availableAt: 900 }),
    urlRow(3, { fingerprint: (1n << 64n) - 1n, state: "done" }),
    urlRow(4, { crawlId: "other", state: "excluded", reason: "scope" }),
    urlRow(5, { host: "b.example", band: 1, state: "ready" }),
    urlRow(6, { state: "dead" }),
  ];
  const others = [urlRow(11, { slot: 6, host: "c.example" }), urlRow(12, { slot: 8, host: "d.example" })];
  const mine = {
    hosts: [hostRow("a.example"), hostRow("b.example")],
    origins: [originRow("https://a.example"), originRow("https://b.example", { digest: "", lastGoodDigest: "d2" })],
    domains: [domainRow("a.example")],
    addresses: [addressRow("192.0.2.1", { slot: SLOT }), addressRow("192.0.2.3", { slot: SLOT })],
    tallies: [tallyRow("a.example"), tallyRow("b.example", { crawlId: "other" })],
    received: [{ slot: SLOT, leaseId: "l1", seq: 5 }, { slot: SLOT, leaseId: "l1", seq: 1_000_000_001 }],
  };
  const theirs = {
    hosts: [hostRow("c.example", { slot: 6 }), hostRow("d.example", { slot: 8 })],
    origins: [originRow("https://d.example", { slot: 8 })],
    domains: [domainRow("d.example", { slot: 8 })],
    addresses: [addressRow("192.0.2.9", { slot: 8 })],
    tallies: [tallyRow("", { slot: SLOT }), tallyRow("d.example", { slot: 8 })],
    received: [{ slot: 6, leaseId: "l1", seq: 5 }, { slot: 8, leaseId: "l1", seq: 6 }],
  };
  return { urls, others, mine, theirs };
}

async function fill(store: ShardStore) {
  const { urls, others, mine, theirs } = content();
  await store.commit(batch(1, {
    newUrls: [...urls, ...others],
    robotsBodies: [{ digest: "d1", body: "one" }, { digest: "d2", body: "two" }, { digest: "d3", body: "three" }],
    hosts: [...theirs.hosts, ...mine.hosts],
    origins: [...theirs.origins, ...mine.origins],
    domains: [...theirs.domains, ...mine.domains],
    addresses: [...theirs.addresses, ...mine.addresses],
    tallies: [...theirs.tallies, ...mine.tallies],
    received: [...theirs.received, ...mine.received],
    captures: [captureRow(1, "w1/a.warc.gz")],
  }));
}

/** Every page of the slot, put together. */
async function readAll(store: ShardStore, slot: number, limit: number): Promise<Omit<SlotPage, "next">> {
  const all: SlotPage[] = [];
  let cursor: SlotCursor | undefined;
  while (cursor?.table !== "end") {
    const page = await store.slotPage(slot, cursor, limit);
    const rows = Object.entries(page).filter(([name]) => name !== "next" && name !== "robotsBodies");
    assert.ok(rows.every(([, some]) => (some as unknown[]).length <= limit), "a page holds more than was asked for");
    all.push(page);
    cursor = page.next;
  }
  return {
    urls: all.flatMap((page) => page.urls),
    hosts: all.flatMap((page) => page.hosts),
    origins: all.flatMap((page) => page.origins),
    robotsBodies: all.flatMap((page) => page.robotsBodies),
    domains: all.flatMap((page) => page.domains),
    addresses: all.flatMap((page) => page.addresses),
    tallies: all.flatMap((page) => page.tallies),
    received: all.flatMap((page) => page.received),
  };
}

const bySeq = <T extends { readonly seq: number }>(rows: readonly T[]): T[] => [...rows].sort((a, b) => a.seq - b.seq);

function reading(it: It): void {
  it("a slot is read whole and alone, whatever the size of the pages", async (store) => {
    await fill(store);
    const { urls, mine } = content();
    for (const limit of [1, 2, 3, 100]) {
      const found = await readAll(store, SLOT, limit);
      assert.deepEqual(bySeq(found.urls), urls, `pages of ${limit}`);
      const { urls: _, robotsBodies, ...rest } = found;
      assert.deepEqual(rest, mine, `pages of ${limit}`);
      const bodies = new Map(robotsBodies.map(({ digest, body }) => [digest, body]));
      assert.deepEqual([...bodies].sort(), [["d1", "one"], ["d2", "two"]]);
    }
    const empty = await store.slotPage(99, undefined, 5);
    assert.equal(empty.next.table, "end");
    assert.deepEqual(empty.urls, []);
  });

  it("who doesn't own the shard reads the same of its slots", async (store, shelf) => {
    const reader = shelf.reader();
    try {
      await fill(store);
      const mark: SlotMark = { slot: SLOT, state: "drained", other: 3, mapVersion: 9 };
      await store.commit(batch(2, { slots: { marks: [mark] } }));
      assert.deepEqual(await reader.slotMarks(), [mark]);
      const page = await store.slotPage(SLOT, undefined, 3);
      assert.deepEqual(await reader.slotPage(SLOT, undefined, 3), page);
      assert.deepEqual(await reader.slotPage(SLOT, page.next, 9), await store.slotPage(SLOT, page.next, 9));
    } finally {
      await reader.close();
    }
  });

  it("the back queues of a slot are those that load sums up", async (store) => {
    await fill(store);
    const name = (queue: { crawlId: string; host: string }) => `${queue.crawlId} ${queue.host}`;
    const loaded = (await store.load()).backQueues.filter(({ slot }) => slot === SLOT);
    const asked = await store.slotQueues(SLOT);
    const sorted = (queues: typeof loaded) => [...queues].sort((a, b) => name(a) < name(b) ? -1 : 1);
    assert.equal(asked.length, 3);
    assert.deepEqual(sorted(asked), sorted(loaded));
    assert.deepEqual(await store.slotQueues(99), []);
  });
}

function deleting(it: It): void {
  it("a slot is deleted in bounded steps, its URLs first, and nothing else with it", async (store, shelf) => {
    await fill(store);
    const { urls, others, theirs } = content();
    let batchSeq = 1;
    const hasRows = async () =>
      (await store.slotPage(SLOT, undefined, 1)).next.table !== "end" || (await store.slotQueues(SLOT)).length > 0;
    for (let step = 0; await hasRows(); step++) {
      assert.ok(step < 10, "it never ends");
      const before = (await readAll(store, SLOT, 100)).urls.length;
      await store.commit(batch(++batchSeq, { slots: { deletion: { slot: SLOT, rows: 2 } } }));
      const left = await readAll(store, SLOT, 100);
      assert.equal(left.urls.length, Math.max(0, before - 2));
      if (left.urls.length > 0) assert.equal(left.hosts.length, 2);
      assert.equal((await store.load()).urlCount, left.urls.length + others.length);
    }
    await reopened(store, shelf, async (next) => {
      assert.deepEqual(await held(next, urls.map(keyOf)), urls.map(() => 0));
      assert.deepEqual(await held(next, others.map(keyOf)), [1, 1]);
      const { hosts, origins, domains, addresses, tallies, backQueues } = await next.load();
      assert.deepEqual({ hosts, origins, domains, addresses }, {
        hosts: theirs.hosts,
        origins: theirs.origins,
        domains: theirs.domains,
        addresses: theirs.addresses,
      });
      assert.deepEqual(tallies.map(({ host }) => host).sort(), ["", "d.example"]);
      assert.deepEqual(backQueues.map(({ host }) => host).sort(), ["c.example", "d.example"]);
      assert.deepEqual([...await next.receivedBefore([...content().mine.received, ...theirs.received])], [0, 0, 1, 1]);
      assert.equal((await next.captures("", 0, 10)).length, 1);
      // It may come back.
      await next.commit(batch(batchSeq + 1, { newUrls: urls }));
      assert.deepEqual(bySeq((await readAll(next, SLOT, 2)).urls), urls);
      assert.equal((await next.slotQueues(SLOT)).reduce((sum, queue) => sum + queue.accepted, 0), urls.length);
    });
  });

  it("a slot that comes back to the same handle has its queues again", async (store) => {
    await fill(store);
    const { urls } = content();
    await store.commit(batch(2, { slots: { deletion: { slot: SLOT, rows: 100 } } }));
    await store.commit(batch(3, { newUrls: urls }));
    assert.deepEqual(bySeq((await readAll(store, SLOT, 100)).urls), urls);
    assert.deepEqual((await store.slotQueues(SLOT)).map(({ accepted }) => accepted).sort(), [1, 1, 4]);
  });
}

function marking(it: It): void {
  it("marks are kept by slot, the newest stands, until they end", async (store, shelf) => {
    const mark: SlotMark = { slot: SLOT, state: "freezing", other: 3, mapVersion: 9 };
    const arriving: SlotMark = {
      slot: 8,
      state: "arriving",
      other: 0,
      mapVersion: 4,
      cursor: { table: "url", after: ["x", "1"] },
    };
    await store.commit(batch(1, { slots: { marks: [arriving, mark] } }));
    const drained = { ...mark, state: "drained" } as const;
    await store.commit(batch(2, { slots: { marks: [drained, { ...mark, slot: 9 }], endedMarks: [9, 100] } }));
    await store.commit(batch(3, { slots: { endedMarks: [9] } }));
    await reopened(store, shelf, async (next) => {
      assert.deepEqual(await next.slotMarks(), [drained, arriving]);
      assert.deepEqual((await next.load()).marks.map(({ slot }) => slot).sort(), [7, 8]);
    });
  });
}

export function slotCases(it: It): void {
  reading(it);
  deleting(it);
  marking(it);
}
