import assert from "node:assert/strict";
import { ask, newWorld, spec, start } from "../../tests/support/frontier.ts";
import { test } from "../../tests/support/test.ts";
import type { Batch } from "../ports.ts";

test("a host whose lease ends and whose next is granted in one round has both in the batch", async () => {
  const world = newWorld();
  const batches: Batch[] = [];
  const coordinator = await start(world, {
    wrap: (store) => {
      const commit = store.commit.bind(store);
      return Object.assign(store, { commit: (batch: Batch) => (batches.push(batch), commit(batch)) });
    },
  });
  const politeness = { delay_ms: 0, delay_factor: 0, delay_cap_ms: 0, max_parallel: 1 };
  await coordinator.createCrawl("c", spec(["https://a.example/"], { politeness }));
  const { lease_id, epoch, slot } = (await ask(coordinator)).leases[0]!;
  const [, next] = await Promise.all([
    coordinator.release({ worker_id: "w1", leases: [{ lease_id, epoch, slot }], reason: "test" }),
    ask(coordinator),
  ]);
  assert.equal(next.leases.length, 1);
  const last = batches.findLast(({ leases }) => leases.length > 0)!;
  assert.deepEqual(last.endedLeases.map(({ host }) => host), ["a.example"]);
  assert.deepEqual(last.leases.map(({ host, epoch }) => [host, epoch]), [["a.example", next.leases[0]!.epoch]]);
  await coordinator.close();
});
