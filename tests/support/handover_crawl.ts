/**
 * A small web on several registered domains, crawled while slots go from shard to shard.
 * Invariant: `crawlWhileMoving` ends with every page fetched once, every slot where it was sent, and rows and counters
 * that say so, or it throws.
 */

import assert from "node:assert/strict";
import { shardOf, slotOf } from "../../protocol/mod.ts";
import { spec, testCore } from "./frontier.ts";
import type { HandoverWorld } from "./handover_world.ts";

const DOMAINS = Array.from({ length: 8 }, (_, i) => `d${i}.example`);
const PAGES = 5;
const SEEDS = DOMAINS.map((domain) => `https://${domain}/`);
const ALL = DOMAINS.flatMap((domain) => Array.from({ length: PAGES }, (_, i) => `https://${domain}/${i || ""}`));
const ANY = { scope: { kind: "any", domains: [], include: [], exclude: [] } } as const;

/** Moments without anything new after which all is over; the later ones are long, so that lost leases run out. */
const QUIET_STEPS = 40;
const SHORT_STEPS = 10;

/** Every page links to the next of its host and to one of each other host. */
function site(url: string): string[] {
  const { origin, pathname } = new URL(url);
  const n = Number(pathname.slice(1) || 0);
  const next = n + 1 < PAGES ? [`${origin}/${n + 1}`] : [];
  return [...next, ...DOMAINS.map((domain, i) => `https://${domain}/${(n + i) % PAGES || ""}`)];
}

/** The slots that hold something. */
export async function usedSlots(): Promise<number[]> {
  const core = await testCore();
  return [...new Set(DOMAINS.map((domain) => slotOf(core.xxh64(new TextEncoder().encode(domain)))))];
}

export interface MovePlan {
  /** In this order; one that is where it is sent already is left out. */
  readonly moves: readonly { readonly slot: number; readonly to: number }[];
  /** Moves that may be under way together. */
  readonly atOnce?: number;
  /** Steps at which every process is killed. */
  readonly kills?: readonly number[];
}

/** Creates the crawl, with nothing fetched yet. */
export async function seedCrawl(all: HandoverWorld, delayMs = 1_000): Promise<void> {
  const asked = spec(SEEDS, ANY);
  const politeness = { ...asked.politeness, delay_ms: delayMs };
  await all.advancing(all.coordinator(0).createCrawl("c", { ...asked, politeness }));
}

export async function crawlWhileMoving(all: HandoverWorld, plan: MovePlan): Promise<void> {
  const toMove = [...plan.moves];
  for (let quiet = 0, step = 0; quiet < QUIET_STEPS; step++) {
    if (plan.kills?.includes(step)) await all.restart();
    const { moves } = await all.control.read();
    while (step > 1 && toMove.length > 0 && (await all.control.read()).moves.length < (plan.atOnce ?? 1)) {
      const { slot, to } = toMove[0]!;
      const { slotMap, moves: now } = await all.control.read();
      if (now.some((move) => move.slot === slot)) break;
      toMove.shift();
      await all.control.beginMove({ slot, from: shardOf(slotMap, slot), to });
    }
    const before = all.pages.length;
    await all.moveSlots();
    await all.crawl(site);
    const isQuiet = toMove.length === 0 && moves.length === 0 && all.pages.length === before;
    quiet = isQuiet ? quiet + 1 : 0;
    await all.world.clock.advance(quiet > SHORT_STEPS ? 10_000 : 500);
    assert.ok(step < 500, "it doesn't end");
  }
  await checkDone(all);
}

async function checkDone(all: HandoverWorld): Promise<void> {
  const { slotMap, moves } = await all.control.read();
  assert.deepEqual(moves, [], "a slot never arrived");
  assert.deepEqual(all.pages.toSorted(), ALL.toSorted(), "each page once");
  const total = async (name: "accepted" | "settled" | "sent" | "received") => await all.total("c", name);
  assert.deepEqual([await total("accepted"), await total("settled")], [ALL.length, ALL.length]);
  assert.equal(await total("sent"), await total("received"));
  for (const slot of await usedSlots()) {
    for (const [shard, reader] of all.readers().entries()) {
      const { urls } = await reader.slotPage(slot, undefined, 1_000);
      const isOwner = shardOf(slotMap, slot) === shard;
      assert.equal(urls.length > 0, isOwner, `slot ${slot} in shard ${shard}`);
      assert.ok(urls.every(({ state }) => state === "done"));
      const mark = (await reader.slotMarks()).find((one) => one.slot === slot);
      assert.ok(isOwner ? mark === undefined : mark === undefined || mark.state === "left", JSON.stringify(mark));
      await reader.close();
    }
  }
}
