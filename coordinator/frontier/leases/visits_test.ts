import assert from "node:assert/strict";
import { LIMITS } from "../../../protocol/mod.ts";
import { ask, complete, newWorld, spec, start, visit } from "../../../tests/support/frontier.ts";
import { test } from "../../../tests/support/test.ts";

test("visits: without a lease that stands, of the worker itself, nobody is permitted and nothing is kept", async () => {
  const world = newWorld(2);
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/"]));
  const [lease] = (await ask(coordinator)).leases;
  assert.equal((await visit(coordinator, lease!, "b.example", "w2")).granted, false, "another worker's lease");
  assert.equal((await visit(coordinator, { ...lease!, epoch: 9 }, "b.example")).granted, false);
  assert.equal((await visit(coordinator, { ...lease!, lease_id: "x" }, "b.example")).granted, false);
  assert.equal((await visit(coordinator, { ...lease!, slot: -1 }, "b.example")).granted, false);
  for (const name of ["no host", "B.example", "b.example/x", "b.example:81", "user@b.example", "", "127.1"]) {
    assert.equal((await visit(coordinator, lease!, name)).granted, false, name);
  }
  await complete(coordinator, lease!, []);
  assert.equal((await visit(coordinator, lease!, "b.example")).granted, false, "the lease is over");
  assert.deepEqual(world.disks.flatMap((disk) => [...disk.hosts.values()].map(({ host }) => host)), ["a.example"]);
  await coordinator.close();
});

test("visits: one lease moves the clocks of a bounded number of hosts", async () => {
  const coordinator = await start(newWorld());
  await coordinator.createCrawl("c", spec(["https://a.example/"]));
  const [lease] = (await ask(coordinator)).leases;
  let granted = 0;
  for (let i = 0; i < 2 * LIMITS.permitsPerLease; i++) {
    if ((await visit(coordinator, lease!, `h.d${i}.example`)).granted) granted++;
  }
  assert.equal(granted, LIMITS.permitsPerLease);
  await coordinator.close();
});
