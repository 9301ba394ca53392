/** Snapshots of filters: everything comes back, and nothing that was cut or changed does. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "../tests/support/test.ts";
import { loadCore } from "./mod.ts";
import { readHeader, SNAPSHOT_KIND } from "./snapshot.ts";
import { CoreSlot } from "./instance.ts";
import { loadArtefact } from "./load.ts";

const core = await loadCore();
const SIZES = { firstKeys: 40, mostKeys: 100 };

function keysFrom(first: number, count: number): BigUint64Array {
  return BigUint64Array.from({ length: count }, (_, i) => BigInt(first + i));
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Cuts after each byte, and changes one bit of each; or of every `step`-th. */
function assertRefusedWhenTorn(bytes: Uint8Array, restore: (torn: Uint8Array) => object, step = 1): void {
  for (let at = 0; at < bytes.length; at += step) {
    const changed = bytes.slice();
    changed[at]! ^= 1 << (at % 8);
    for (const torn of [changed, bytes.slice(0, at)]) {
      const answer = restore(torn) as { error?: string };
      assert.match(
        answer.error ?? "restored",
        /^Restoring a .* failed: .*; build it anew from the log\.$/,
        `byte ${at}`,
      );
    }
  }
  assert.ok("error" in restore(Uint8Array.of(...bytes, 0)), "a byte too many");
}

test("a filter's snapshot brings back its keys, its count, and the log's position", () => {
  const filter = core.filter(5000);
  filter.addAll(keysFrom(0, 4000));
  const restored = core.restoreFilter(joined(filter.snapshot(2n ** 63n + 5n)));
  assert.ok("filter" in restored);
  assert.equal(restored.position, 2n ** 63n + 5n);
  assert.deepEqual([restored.filter.capacity, restored.filter.count], [5000, filter.count]);
  assert.deepEqual(restored.filter.hasAll(keysFrom(0, 20_000)), filter.hasAll(keysFrom(0, 20_000)));
  assert.deepEqual(restored.filter.addAll(keysFrom(3000, 3000)), filter.addAll(keysFrom(3000, 3000)));
  assert.equal(restored.filter.count, filter.count);
});

test("a filter's snapshot with any byte cut or changed is refused", () => {
  const filter = core.filter(40);
  filter.addAll(keysFrom(0, 40));
  assertRefusedWhenTorn(joined(filter.snapshot(9n)), (torn) => core.restoreFilter(torn));
});

test("a layered filter's snapshot brings back all layers and goes on growing", () => {
  const filter = core.layeredFilter(SIZES);
  filter.addAll(keysFrom(0, 300));
  const restored = core.restoreLayeredFilter(joined(filter.snapshot(12n)), SIZES);
  assert.ok("filter" in restored);
  assert.equal(restored.position, 12n);
  assert.deepEqual([restored.filter.layers, restored.filter.count], [filter.layers, filter.count]);
  assert.deepEqual(restored.filter.addAll(keysFrom(200, 400)), filter.addAll(keysFrom(200, 400)));
  assert.deepEqual([restored.filter.layers, restored.filter.capacity], [filter.layers, filter.capacity]);
  const empty = core.restoreLayeredFilter(joined(core.layeredFilter(SIZES).snapshot(0n)), SIZES);
  assert.ok("filter" in empty && empty.filter.layers === 0 && empty.filter.addAll(keysFrom(0, 1))[0] === 1);
});

test("a layered filter's snapshot with any byte cut or changed is refused, and so is one of other layers", () => {
  const filter = core.layeredFilter(SIZES);
  filter.addAll(keysFrom(0, 60));
  assert.equal(filter.layers, 2);
  const bytes = joined(filter.snapshot(9n));
  assertRefusedWhenTorn(bytes, (torn) => core.restoreLayeredFilter(torn, SIZES), 5);
  // Whole layers of another snapshot, each right by itself.
  const other = core.layeredFilter(SIZES);
  other.addAll(keysFrom(1000, 60));
  const mixed = joined([bytes.subarray(0, 64), ...other.snapshot(9n).slice(1)]);
  assert.ok("error" in core.restoreLayeredFilter(mixed, SIZES));
});

test("sizes that no snapshot has are refused though the checksum is right", () => {
  const filter = joined(core.filter(40).snapshot(0n));
  const index = joined(core.nearIndex(40).snapshot(0n));
  for (const capacity of [0n, 41n, 10n ** 15n, 2n ** 64n - 1n]) {
    for (const bytes of [filter, index]) {
      new DataView(bytes.buffer).setBigUint64(24, capacity, true);
      new DataView(bytes.buffer).setBigUint64(56, core.xxh64(bytes.subarray(0, 56)), true);
    }
    // 41 keys need as many blocks as 40 do.
    if (capacity !== 41n) {
      assert.ok("error" in core.restoreFilter(filter), `${capacity}`);
      assert.ok("error" in core.restoreNearIndex(index), `${capacity}`);
    } else assert.ok("filter" in core.restoreFilter(filter) && "index" in core.restoreNearIndex(index));
  }
});

test("any bytes are refused, never thrown at", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
    assert.ok("error" in core.restoreFilter(bytes));
    assert.ok("error" in core.restoreNearIndex(bytes));
    assert.ok("error" in core.restoreLayeredFilter(bytes, SIZES));
  }));
});

test("snapshots of one kind aren't read as another, nor those of another key version", async () => {
  const filter = core.filter(40);
  const bytes = joined(filter.snapshot(0n));
  assert.match((core.restoreNearIndex(bytes) as { error: string }).error, /it is a snapshot of something else/);
  assert.match((core.restoreLayeredFilter(bytes, SIZES) as { error: string }).error, /something else/);
  const { module, instantiate } = await loadArtefact();
  const raw = new CoreSlot(module, instantiate).fresh();
  assert.equal("error" in readHeader(raw, bytes, SNAPSHOT_KIND.filter), false);
  new DataView(bytes.buffer).setUint16(14, 999, true);
  new DataView(bytes.buffer).setBigUint64(56, core.xxh64(bytes.subarray(0, 56)), true);
  assert.match((core.restoreFilter(bytes) as { error: string }).error, /key version 999, \d+ is wanted/);
});
