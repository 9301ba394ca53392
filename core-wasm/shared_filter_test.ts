import assert from "node:assert/strict";
import { Worker } from "node:worker_threads";
import { test } from "../tests/support/test.ts";
import type { ContenderTask } from "../tests/support/shared_filter_child.ts";
import {
  makeSharedFilter,
  MAX_SHARED_CAPACITY,
  MOST_SEATS,
  openSharedFilter,
  SHARED_BITS_PER_KEY,
} from "./shared_filter.ts";
import type { SharedFilterHandle } from "./shared_filter.ts";

function keysFrom(first: number, count: number): BigUint64Array {
  return BigUint64Array.from({ length: count }, (_, i) => BigInt(first + i));
}

function sum(bytes: Uint8Array): number {
  return bytes.reduce((total, byte) => total + byte, 0);
}

/** Probability that the five bits of a new key are set: words are loaded like a Poisson variable. */
function theoreticalRate(bitsPerKey: number): number {
  const load = 64 / bitsPerKey;
  let rate = 0;
  let weight = Math.exp(-load);
  for (let keys = 0; keys < 200; keys++) {
    rate += weight * allSet(keys * 5);
    weight *= load / (keys + 1);
  }
  return rate;
}

/** That five throws at 64 bits all hit what `thrown` throws have hit: by the number of bits that were hit, exactly. */
function allSet(thrown: number): number {
  let share = new Array<number>(65).fill(0);
  share[0] = 1;
  for (let n = 0; n < thrown; n++) {
    share = share.map((p, hit) => p * (hit / 64) + (hit === 0 ? 0 : share[hit - 1]! * ((65 - hit) / 64)));
  }
  return share.reduce((rate, p, hit) => rate + p * (hit / 64) ** 5, 0);
}

/** What each of the workers was told is new. */
async function runWorkers(handle: SharedFilterHandle, workers: number, keys: number): Promise<BigUint64Array[]> {
  const barrier = new Int32Array(new SharedArrayBuffer(4));
  const task: ContenderTask = { handle, barrier, workers, keys, batch: 64 };
  const all = Array.from(
    { length: workers },
    () => new Worker(new URL("../tests/support/shared_filter_child.ts", import.meta.url)),
  );
  const answers = all.map((worker) =>
    new Promise<BigUint64Array>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
    })
  );
  for (const worker of all) worker.postMessage(task);
  try {
    return await Promise.all(answers);
  } finally {
    await Promise.all(all.map((worker) => worker.terminate()));
  }
}

test("shared filter: of workers that add the same keys exactly one is told of each that it is new", async () => {
  const keys = 60_000;
  const filter = await makeSharedFilter(keys);
  const answers = await runWorkers(filter.handle, 3, keys);
  const told = answers.flatMap((fresh) => [...fresh]);
  assert.equal(new Set(told).size, told.length, "no key is new twice");
  assert.equal(filter.count, told.length);
  assert.equal(sum(filter.hasAll(keysFrom(0, keys))), keys);
  // Which keys look seen depends on the order; how many hardly.
  assert.ok(told.length > keys * 0.99, `${told.length} of ${keys} were new`);
}, { timeoutMs: 60_000 });

test("shared filter: the same bits whoever sets them", async () => {
  const [one, other] = [await makeSharedFilter(5000), await makeSharedFilter(5000)];
  const second = openSharedFilter(one.handle);
  for (let from = 0; from < 5000; from += 100) (from % 200 === 0 ? one : second).addAll(keysFrom(from, 100));
  other.addAll(keysFrom(0, 5000));
  assert.deepEqual(second.hasAll(keysFrom(0, 50_000)), other.hasAll(keysFrom(0, 50_000)));
  assert.deepEqual([second.count, second.capacity], [other.count, 5000]);
});

test("shared filter: false positives as theory has them, and under 1 % when it is full", async () => {
  const capacity = 200_000;
  const asked = 2_000_000;
  const filter = await makeSharedFilter(capacity);
  for (const part of [1, 2]) {
    const keys = part * capacity / 2;
    const fresh = filter.addAll(keysFrom(keys - capacity / 2, capacity / 2));
    assert.ok(sum(fresh) > capacity * 0.49);
    const rate = sum(filter.hasAll(keysFrom(1_000_000_000, asked))) / asked;
    const theory = theoreticalRate(SHARED_BITS_PER_KEY * 2 / part);
    assert.ok(Math.abs(rate / theory - 1) < 0.1, `${keys} keys: measured ${rate}, theory says ${theory}`);
  }
  assert.ok(theoreticalRate(SHARED_BITS_PER_KEY) < 0.01, `${theoreticalRate(SHARED_BITS_PER_KEY)}`);
});

test("shared filter: a key that stands twice in a batch is new once; bounds are told", async () => {
  const filter = await makeSharedFilter(1000);
  assert.deepEqual([...filter.addAll(BigUint64Array.of(7n, 8n, 7n, 2n ** 64n - 1n, 7n))], [1, 1, 0, 1, 0]);
  assert.equal(filter.addAll(new BigUint64Array(3000).fill(9n)).indexOf(1, 1), -1);
  for (const capacity of [0, 1.5, MAX_SHARED_CAPACITY + 1]) {
    await assert.rejects(makeSharedFilter(capacity), RangeError);
  }
  const { module } = filter.handle;
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 32768, shared: true });
  assert.throws(() => openSharedFilter({ module, memory }), /the memory holds none/);
  for (let seat = 1; seat < MOST_SEATS; seat++) openSharedFilter(filter.handle);
  assert.throws(() => openSharedFilter(filter.handle), /256 are the most/);
});
