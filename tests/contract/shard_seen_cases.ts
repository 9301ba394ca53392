/** What every ShardStore does with the seen-set's log, blocks, runs and parts. */

import assert from "node:assert/strict";
import { SEEN_BLOCK_BYTES, type SeenRunRow, type SeenWrites } from "../../coordinator/seen_ports.ts";
import { batch } from "../support/shard_rows.ts";
import { type It, reopened } from "./shard_shelf.ts";

/** `count` blocks, each filled with bytes of its own. */
function blocks(first: number, count: number): Uint8Array {
  const bytes = new Uint8Array(count * SEEN_BLOCK_BYTES);
  for (let i = 0; i < count; i++) bytes.fill(first + i, i * SEEN_BLOCK_BYTES, (i + 1) * SEEN_BLOCK_BYTES);
  return bytes;
}

function writes(over: Partial<SeenWrites> = {}): SeenWrites {
  return { blocks: [], parts: [], newRuns: [], endedRuns: [], ...over };
}

function run(runId: number, over: Partial<SeenRunRow> = {}): SeenRunRow {
  const sizes = { firstBlock: 10 * runId, blocks: 3, keys: 700, directoryParts: 1, filterParts: 2 };
  return { runId, coveredBatchSeq: 2 * runId, tag: "00ff00ff00ff00ff", ...sizes, ...over };
}

export function seenCases(it: It): void {
  it("blocks of the seen-set are read back in the order asked for; one that isn't there is an error", async (store) => {
    const seen = writes({ blocks: [{ firstBlock: 7, bytes: blocks(7, 5) }, { firstBlock: 40, bytes: blocks(40, 1) }] });
    await store.commit(batch(1, { seen }));
    const found = await store.seenBlocks([40, 7, 11, 9]);
    assert.deepEqual(found.map(({ length }) => length), Array(4).fill(SEEN_BLOCK_BYTES));
    assert.deepEqual(found.map((block) => [block[0], block.at(-1)]), [[40, 40], [7, 7], [11, 11], [9, 9]]);
    assert.deepEqual(await store.seenBlocks([]), []);
    await assert.rejects(store.seenBlocks([7, 12]));
    const { firstBlock, endBlock } = await store.seenState();
    assert.deepEqual([firstBlock, endBlock], [7, 41]);
    await store.commit(batch(2, { seen: writes({ freedBlocks: [{ first: 0, end: 10 }, { first: 40, end: 90 }] }) }));
    await assert.rejects(store.seenBlocks([9]));
    assert.deepEqual((await store.seenBlocks([10])).map((block) => block[0]), [10]);
    assert.deepEqual([(await store.seenState()).firstBlock, (await store.seenState()).endBlock], [10, 12]);
  });

  it("runs and parts of the seen-set come and go with their commit", async (store, shelf) => {
    const nothing = { runs: [], parts: [], firstBlock: 0, endBlock: 0 };
    assert.deepEqual(await store.seenState(), nothing);
    const filter = (part: number) => ({ runId: 2, kind: "filter", part }) as const;
    const directory = { runId: 2, kind: "directory", part: 0 } as const;
    const bytes = (value: number) => new Uint8Array(300_000).fill(value);
    const parts = [{ ...filter(0), bytes: bytes(1) }, { ...filter(1), bytes: bytes(2) }, {
      ...directory,
      bytes: bytes(3),
    }];
    await store.commit(batch(1, { seen: writes({ parts, newRuns: [run(2), run(1)] }) }));
    assert.deepEqual((await store.seenPart(filter(1)))!.slice(0, 2), Uint8Array.of(2, 2));
    assert.equal((await store.seenPart(directory))!.length, 300_000);
    assert.equal(await store.seenPart({ runId: 1, kind: "filter", part: 0 }), undefined);
    const gone = writes({ newRuns: [run(3)], endedRuns: [1], freedParts: [filter(0), { ...filter(0), runId: 9 }] });
    await store.commit(batch(2, { seen: gone }));
    await reopened(store, shelf, async (next) => {
      const state = await next.seenState();
      assert.deepEqual(state.runs, [run(2), run(3)]);
      assert.deepEqual(state.parts, [directory, filter(1)]);
    });
  });

  it("the seen-set's log is read in order, on from any batch, until a run covers it", async (store, shelf) => {
    for (let n = 1; n <= 5; n++) {
      await store.commit(batch(n, n === 3 ? {} : { seenLog: new Uint8Array(n).fill(n) }));
    }
    const seqs = async (after: number, limit: number) =>
      (await store.seenLog(after, limit)).map((entry) => [entry.batchSeq, ...entry.keys]);
    assert.deepEqual(await seqs(-1, 2), [[1, 1], [2, 2, 2]]);
    assert.deepEqual(await seqs(2, 9), [[4, 4, 4, 4, 4], [5, 5, 5, 5, 5, 5]]);
    await store.commit(batch(6, { seen: writes({ logCovered: 4 }), seenLog: Uint8Array.of(6) }));
    await reopened(store, shelf, async (next) => {
      assert.deepEqual((await next.seenLog(-1, 9)).map((entry) => entry.batchSeq), [5, 6]);
    });
  });

  it("a commit that is refused changes nothing of the seen-set", async (store) => {
    await store.commit(batch(1, { seen: writes({ newRuns: [run(1)] }), seenLog: Uint8Array.of(1) }));
    const seen = writes({ blocks: [{ firstBlock: 1, bytes: blocks(1, 1) }], newRuns: [run(2)], endedRuns: [1] });
    await assert.rejects(store.commit(batch(1, { seen, seenLog: Uint8Array.of(9) })));
    const state = await store.seenState();
    assert.deepEqual([state.runs, state.endBlock], [[run(1)], 0]);
    assert.deepEqual((await store.seenLog(-1, 9)).map((entry) => [...entry.keys]), [[1]]);
  });
}
