/** Slots go from shard to shard while a crawl goes on, and processes die between any two writes. */

import assert from "node:assert/strict";
import process from "node:process";
import { shardOf } from "../../../protocol/mod.ts";
import { HandoverWorld, spec } from "../../../tests/support/handover_world.ts";
import { testCore } from "../../../tests/support/frontier.ts";
import { test } from "../../../tests/support/test.ts";
import type { Death, HandoverOptions } from "../../../tests/support/handover_world.ts";

const DOMAINS = Array.from({ length: 8 }, (_, i) => `d${i}.example`);
const PAGES = 5;
const SEEDS = DOMAINS.map((domain) => `https://${domain}/`);
const ALL = DOMAINS.flatMap((domain) => Array.from({ length: PAGES }, (_, i) => `https://${domain}/${i || ""}`));

/** Every page links to the next of its host and to one of each other host. */
function site(url: string): string[] {
  const { origin, pathname } = new URL(url);
  const n = Number(pathname.slice(1) || 0);
  const next = n + 1 < PAGES ? [`${origin}/${n + 1}`] : [];
  return [...next, ...DOMAINS.map((domain, i) => `https://${domain}/${(n + i) % PAGES || ""}`)];
}

async function slotsOf(domains: readonly string[]): Promise<number[]> {
  const core = await testCore();
  return [...new Set(domains.map((domain) => Number(core.xxh64(new TextEncoder().encode(domain)) >> 52n)))];
}

const ONE: HandoverOptions = { processes: [[0, 1, 2]], shards: 2, rowsPerCommit: 3 };
const TWO: HandoverOptions = { processes: [[0, 1], [2]], shards: 2, rowsPerCommit: 3 };
const ANY = { scope: { kind: "any", domains: [], include: [], exclude: [] } } as const;

/** Everything is crawled, every slot is where it belongs, and rows and counters say so. */
function checkDone(all: HandoverWorld, slots: readonly number[]): void {
  assert.deepEqual(all.pages.toSorted(), ALL.toSorted(), "each page once");
  const total = (name: "accepted" | "settled" | "sent" | "received") => all.total("c", name);
  assert.deepEqual([total("accepted"), total("settled")], [ALL.length, ALL.length]);
  assert.equal(total("sent"), total("received"));
  for (const slot of slots) {
    const rows = [...all.disk(0).urls.get("c")!.values()].filter((row) => row.slot === slot);
    assert.deepEqual(rows, [], "rows were left behind");
    assert.equal(all.disk(0).marks.get(slot)?.state, "left");
    assert.equal(all.disk(2).marks.has(slot), false);
  }
}

/**
 * Crawls everything while every slot of shard 0 that has a host goes to shard 2, one at a time, and the processes die as
 * `death` says.
 */
async function crawlWhileMoving(options: HandoverOptions, death?: Death): Promise<HandoverWorld> {
  const all = new HandoverWorld(options);
  await all.start();
  await all.coordinator(0).createCrawl("c", spec(SEEDS, ANY));
  const { slotMap } = await all.control.read();
  const slots = (await slotsOf(DOMAINS)).filter((slot) => shardOf(slotMap, slot) === 0);
  assert.ok(slots.length > 1, "shard 0 has too few hosts");
  await all.restart(death);
  const toMove = [...slots];
  for (let quiet = 0, step = 0; quiet < 25; step++) {
    const { moves } = await all.control.read();
    if (step > 1 && moves.length === 0 && toMove.length > 0) {
      assert.ok(await all.control.beginMove({ slot: toMove.pop()!, from: 0, to: 2 }));
    }
    const before = all.pages.length;
    await all.moveSlots();
    await all.crawl(site);
    const isQuiet = toMove.length === 0 && moves.length === 0 && all.pages.length === before;
    // A lease whose granting was the last that its coordinator did runs out.
    quiet = isQuiet ? quiet + 1 : 0;
    await all.world.clock.advance(quiet > 10 ? 10_000 : 500);
    assert.ok(step < 500, "it doesn't end");
  }
  const after = (await all.control.read()).slotMap;
  for (const slot of slots) assert.equal(shardOf(after, slot), 2);
  checkDone(all, slots);
  return all;
}

test("every slot of a shard moves while the crawl goes on, in one process", async () => {
  const all = await crawlWhileMoving(ONE);
  assert.equal(all.stats(0, "c").state, "finished");
  await all.close();
});

test("every slot of a shard moves while the crawl goes on, to another process whose clock is ahead", async () => {
  for (const aheadMs of [[0, 0], [0, 7_000], [7_000, 0]]) {
    await (await crawlWhileMoving({ ...TWO, aheadMs })).close();
  }
});

/** Every write of every process; set it to run all of them (minutes). */
const EVERY = Number(process.env.OUTRIDER_SLOT_DEATHS ?? 29);

for (const [name, options] of [["one process", ONE], ["two processes", TWO]] as const) {
  test(`slots move while ${name} die between any two writes: nothing is lost, nothing comes twice`, async () => {
    for (const isAfter of [false, true]) {
      for (let write = 1 + (isAfter ? 11 : 0) % EVERY;; write += EVERY) {
        const all = await crawlWhileMoving(options, { write, isAfter }).catch((error) => {
          throw new Error(`killed ${isAfter ? "after" : "before"} write ${write}: ${error.message}`, { cause: error });
        });
        await all.close();
        if (all.deaths === 0) break;
      }
    }
  });
}
