import assert from "node:assert/strict";
import fc from "fast-check";
import { testCore } from "../../../tests/support/frontier.ts";
import { SeenWorld } from "../../../tests/support/seen_world.ts";
import { test } from "../../../tests/support/test.ts";
import { MemoryShardDisk, MemoryShardStore } from "../../store/memory_shard_store.ts";
import { SeenKeys } from "./seen_keys.ts";

const SMALL = { seenMemtableKeys: 300, seenCacheBlocks: 256, seenCacheKeys: 64, seenSnapshotKeys: 20 };
const M64 = (1n << 64n) - 1n;

/** Key `n`, of one of a few clusters: the same in every run. */
function keysOf(numbers: readonly number[]): SeenKeys {
  const keys = new SeenKeys();
  for (const n of numbers) {
    keys.addUrl((n % 7) * 2 ** 36 + (n % 11), (BigInt(n) * 0x9e3779b97f4a7c15n) & M64, { low: 0, high: 0 });
  }
  return keys;
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

async function openWorld(disk: MemoryShardDisk, settings = {}) {
  const store = new MemoryShardStore(disk);
  await store.open("test", 1);
  return await SeenWorld.open({ core: await testCore(), store, settings: { ...SMALL, ...settings } });
}

test("the seen-set answers as a set does, through freezes, merges, crashes and reloads", async () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ offer: fc.array(fc.nat(6_000), { maxLength: 400 }) }) },
    { weight: 2, arbitrary: fc.record({ offerFrom: fc.nat(6_000), count: fc.nat(900) }) },
    { weight: 1, arbitrary: fc.constant("crash" as const) },
    { weight: 1, arbitrary: fc.constant("rest" as const) },
    { weight: 1, arbitrary: fc.constant("minute" as const) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const disk = new MemoryShardDisk();
      const known = new Set<number>();
      let world = await openWorld(disk);
      let nowMs = 0;
      for (const one of steps) {
        if (one === "crash") world = await openWorld(disk);
        else if (one === "rest") await world.rest(nowMs);
        else if (one === "minute") nowMs += 60_000;
        else {
          const numbers = "offer" in one ? [...new Set(one.offer)] : range(one.offerFrom, one.offerFrom + one.count);
          const answers = await world.offer(keysOf(numbers), nowMs);
          numbers.forEach((n, i) => assert.equal(answers[i] === 1, !known.has(n), `key ${n}`));
          for (const n of numbers) known.add(n);
        }
      }
      await world.rest(nowMs);
      for (const one of [world, await openWorld(disk)]) {
        assert.equal(one.seen.facts().runKeys + one.seen.facts().memtableKeys, known.size);
        one.seen.free();
      }
    }),
    { numRuns: 60 },
  );
}, { timeoutMs: 120_000 });

test("a negative lookup reads no block, a positive one reads one at most", async () => {
  const world = await openWorld(new MemoryShardDisk());
  for (let from = 0; from < 4_000; from += 400) await world.offer(keysOf(range(from, from + 400)));
  await world.rest();
  const { tally } = world.seen;
  const { blockReads, falsePositives } = tally;
  await world.offer(keysOf(range(100_000, 100_250)));
  assert.ok(tally.blockReads - blockReads <= tally.falsePositives - falsePositives, "reads for filters' mistakes only");
  const fresh = await openWorld(new MemoryShardDisk());
  await fresh.offer(keysOf(range(0, 4_000)));
  await fresh.rest();
  assert.equal((await fresh.offer(keysOf(range(0, 4_000)))).includes(1), false);
  assert.ok(fresh.seen.tally.blockReads <= 4_000 / 100, `${fresh.seen.tally.blockReads} blocks for 4,000 keys`);
  world.seen.free();
  fresh.seen.free();
});

test(
  "runs are few: each has more than twice the keys of all smaller ones together, or is about to be merged",
  async () => {
    const world = await openWorld(new MemoryShardDisk());
    for (let from = 0; from < 30_000; from += 300) {
      await world.offer(keysOf(range(from, from + 300)));
      await world.rest();
      assert.ok(world.seen.facts().runs <= 7, `${world.seen.facts().runs} runs of ${from + 300} keys`);
    }
    world.seen.free();
  },
  { timeoutMs: 60_000 },
);

test("E108: filters that take every key for seen cost reads, not URLs, and raise the alarm", async () => {
  const core = await testCore();
  const store = new MemoryShardStore(new MemoryShardDisk());
  await store.open("test", 1);
  const filter = (capacity: number) => {
    const real = core.filter(capacity);
    return {
      capacity: real.capacity,
      count: 0,
      addAll: (keys: BigUint64Array) => real.addAll(keys),
      hasAll: (keys: BigUint64Array) => new Uint8Array(keys.length).fill(1),
      snapshot: (position: bigint) => real.snapshot(position),
      free: () => real.free(),
    };
  };
  const cheated = { filter, xxh64: (bytes: Uint8Array) => core.xxh64(bytes), restoreFilter: core.restoreFilter };
  const world = await SeenWorld.open({ core: cheated, store, settings: SMALL });
  for (let from = 0; from < 12_000; from += 300) {
    const answers = await world.offer(keysOf(range(from, from + 300)));
    assert.equal(answers.includes(0), false, "a filter's mistake is no verdict");
  }
  assert.match(world.seen.tally.problem, /filters took \d+\.\d+ % of new URLs for seen, at most 1 % is wanted/);
  world.seen.free();
});

test("E110: at twenty times the memtable false positives stay under 1 %, and no alarm is raised", async () => {
  const world = await openWorld(new MemoryShardDisk());
  for (let from = 0; from < 24_000; from += 300) await world.offer(keysOf(range(from, from + 300)));
  const { falsePositives, fresh, problem } = world.seen.tally;
  assert.ok(falsePositives / fresh < 0.01, `${falsePositives} of ${fresh}`);
  assert.equal(problem, "");
  world.seen.free();
});

test("disk and RAM a key: 8 to 10 bytes of block, 2 of filter, for clusters of a thousand keys", async () => {
  const disk = new MemoryShardDisk();
  const world = await openWorld(disk, { seenMemtableKeys: 40_000 });
  const keys = new SeenKeys();
  for (let n = 0; n < 40_000; n++) {
    keys.addUrl(Math.floor(n / 1_000), (BigInt(n + 1) * 0x9e3779b97f4a7c15n) & M64, { low: 0, high: 0 });
  }
  await world.offer(keys);
  await world.rest();
  const [run] = (await world.store.seenState()).runs;
  const bytesPerKey = (run!.blocks * 4096) / run!.keys;
  assert.ok(bytesPerKey >= 8 && bytesPerKey <= 8.5, `${bytesPerKey} bytes a key`);
  assert.ok(world.seen.facts().filterBytes / run!.keys <= 2);
  world.seen.free();
});
