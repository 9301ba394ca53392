import assert from "node:assert/strict";
import { silentLog, testCore } from "../../../tests/support/frontier.ts";
import { MemoryFiles } from "../../../tests/support/memory_files.ts";
import { batch } from "../../../tests/support/shard_rows.ts";
import { SeenWorld } from "../../../tests/support/seen_world.ts";
import { test } from "../../../tests/support/test.ts";
import { folderBlobs } from "../../../runtime/folder_blobs.ts";
import type { ShardStore } from "../../ports.ts";
import type { SeenPartName } from "../../seen_ports.ts";
import { MemoryShardDisk, MemoryShardStore } from "../../store/memory_shard_store.ts";
import { SeenCopies } from "./seen_copies.ts";
import { SeenKeys } from "./seen_keys.ts";

const SMALL = { seenMemtableKeys: 1_000, seenCacheBlocks: 256, seenCacheKeys: 64, seenSnapshotKeys: 20 };
const MINUTE_MS = 60_000;

/** Keys `from` to before `to`, of one cluster. */
function keysOf(from: number, to: number): SeenKeys {
  const keys = new SeenKeys();
  for (let n = from; n < to; n++) {
    keys.addUrl(5, (BigInt(n + 1) * 0x9e3779b97f4a7c15n) & ((1n << 64n) - 1n), { low: 0, high: 0 });
  }
  return keys;
}

type Tear = (part: SeenPartName, bytes: Uint8Array) => Uint8Array | undefined;

async function open(disk: MemoryShardDisk, options: { tear?: Tear; files?: MemoryFiles } = {}): Promise<SeenWorld> {
  const store: ShardStore = new MemoryShardStore(disk);
  const { tear, files } = options;
  const { seenPart } = store;
  if (tear !== undefined) {
    store.seenPart = async (part) => {
      const bytes = await seenPart.call(store, part);
      return bytes === undefined ? undefined : tear(part, bytes);
    };
  }
  await store.open("test", 1);
  const copies = files === undefined ? {} : { copies: new SeenCopies(folderBlobs(files, "blobs"), 0, silentLog) };
  return await SeenWorld.open({ core: await testCore(), store, settings: SMALL, ...copies });
}

/** 3,000 keys in runs, 10 in the log. */
async function filled(files?: MemoryFiles): Promise<MemoryShardDisk> {
  const disk = new MemoryShardDisk();
  const world = await open(disk, files === undefined ? {} : { files });
  for (let from = 0; from < 3_000; from += 500) await world.offer(keysOf(from, from + 500));
  await world.offer(new SeenKeys(), MINUTE_MS);
  await world.rest(MINUTE_MS);
  await world.offer(keysOf(3_000, 3_010), 2 * MINUTE_MS);
  await world.seen.settled();
  world.seen.free();
  return disk;
}

async function assertHoldsAll(world: SeenWorld): Promise<void> {
  const answers = await world.offer(keysOf(0, 3_020));
  assert.deepEqual([answers.indexOf(1), answers.reduce((sum, one) => sum + one, 0)], [3_010, 10]);
  world.seen.free();
}

test("a start reads filters and the log's tail, not the keys; E104: the same state each time", async () => {
  const disk = await filled();
  for (let twice = 0; twice < 2; twice++) {
    const world = await open(disk);
    assert.deepEqual(new Set(world.origins), new Set(["store"]));
    assert.equal(world.seen.facts().runKeys, 3_000);
    assert.equal(world.seen.facts().memtableKeys, 10);
    assert.equal(world.seen.facts().blockReads, 0);
    world.seen.free();
  }
  await assertHoldsAll(await open(disk));
});

const TEARS: Record<string, Tear> = {
  "cut short": ({ kind }, bytes) => kind === "filter" ? bytes.subarray(0, bytes.length - 9) : bytes,
  "missing": ({ kind }, bytes) => kind === "filter" ? undefined : bytes,
  "empty": ({ kind }, bytes) => kind === "filter" ? new Uint8Array() : bytes,
  "of changed bits": ({ kind }, bytes) =>
    kind === "filter" ? bytes.map((byte, i) => i === 99 ? byte ^ 1 : byte) : bytes,
};

for (const [how, tear] of Object.entries(TEARS)) {
  test(`E107: filters that are ${how} are made anew from the blocks before anything is answered`, async () => {
    const world = await open(await filled(), { tear });
    assert.deepEqual(new Set(world.origins), new Set(["rebuilt"]));
    await assertHoldsAll(world);
  });

  test(`E107: filters that are ${how} are taken from their copies in the blob store`, async () => {
    const files = new MemoryFiles();
    const world = await open(await filled(files), { tear, files });
    assert.deepEqual(new Set(world.origins), new Set(["copy"]));
    await assertHoldsAll(world);
  });
}

test("E107: a torn directory is made anew, though its filter is whole", async () => {
  const tear: Tear = ({ kind }, bytes) =>
    kind === "directory" ? bytes.map((byte, i) => i === 3 ? byte ^ 128 : byte) : bytes;
  const world = await open(await filled(), { tear });
  assert.deepEqual(new Set(world.origins), new Set(["rebuilt"]));
  await assertHoldsAll(world);
});

test("copies follow the runs: one object a run, none of runs that were merged", async () => {
  const files = new MemoryFiles();
  const world = await open(new MemoryShardDisk(), { files });
  for (let minute = 1; minute <= 6; minute++) {
    await world.offer(keysOf(700 * minute, 700 * minute + 700), minute * MINUTE_MS);
    await world.rest(minute * MINUTE_MS);
    await world.seen.settled();
  }
  await world.offer(new SeenKeys(), 7 * MINUTE_MS);
  await world.seen.settled();
  const runs = (await world.store.seenState()).runs.map((run) =>
    `blobs/seen/shard-0/run-${run.runId}-${run.tag}.filter`
  );
  assert.deepEqual(files.paths(), ["blobs/seen/shard-0/list.json", ...runs.sort()]);
  world.seen.free();
});

test("a list of copies that is torn costs writing them again, nothing else", async () => {
  const files = new MemoryFiles();
  const disk = await filled(files);
  await files.writeWhole("blobs/seen/shard-0/list.json", new TextEncoder().encode('{"objects":["seen/sh'));
  const world = await open(disk, { files });
  await world.offer(keysOf(9_000, 9_010), MINUTE_MS);
  await world.seen.settled();
  const list = new TextDecoder().decode(await files.read("blobs/seen/shard-0/list.json"));
  assert.equal((JSON.parse(list) as { objects: string[] }).objects.length, world.seen.facts().runs);
  world.seen.free();
});

test("what a crash left of a run that was being written is found and freed", async () => {
  const disk = new MemoryShardDisk();
  const before = await open(disk);
  await before.offer(keysOf(0, 1_000));
  await before.rest();
  const [run] = (await before.store.seenState()).runs;
  await before.store.commit({
    ...batch(await before.store.lastBatchSeq() + 1),
    seen: {
      blocks: [{ firstBlock: run!.firstBlock + 50, bytes: new Uint8Array(3 * 4040) }],
      parts: [{ runId: 99, kind: "filter", part: 0, bytes: Uint8Array.of(1) }],
      newRuns: [],
      endedRuns: [],
    },
  });
  const world = await open(disk);
  await world.rest();
  const state = await world.store.seenState();
  assert.deepEqual([state.runs.length, state.endBlock], [1, run!.firstBlock + run!.blocks]);
  assert.equal(state.parts.some(({ runId }) => runId === 99), false);
  assert.equal((await world.offer(keysOf(0, 1_000))).includes(1), false);
  before.seen.free();
  world.seen.free();
});
