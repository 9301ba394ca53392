/** The wall clock is set forward under a running coordinator: no host is asked earlier for it. */

import assert from "node:assert/strict";
import { ClusterWorld, type Node } from "../../tests/support/cluster.ts";
import { ask, complete, fetched, robots, spec } from "../../tests/support/frontier.ts";
import { test } from "../../tests/support/test.ts";
import { ClockSteps } from "./clock_steps.ts";

const DELAY_MS = 60_000;
const HOST = "h0.example";
const SPEC = spec([`https://${HOST}/`], {
  politeness: { delay_ms: DELAY_MS, delay_factor: 0, delay_cap_ms: DELAY_MS, max_parallel: 1 },
});

/** ms of the world's time after which the host may be asked again. */
async function untilAskedAgain(cluster: ClusterWorld, { coordinator }: Node): Promise<number> {
  const { clock } = cluster.world;
  const from = clock.wallMs();
  for (let i = 0; i < 400; i++) {
    const [lease] = (await ask(coordinator)).leases;
    if (lease !== undefined) return clock.wallMs() - from + lease.first_start_in_ms;
    await clock.advance(500);
  }
  throw new Error("The host was never leased again.");
}

async function asked(cluster: ClusterWorld): Promise<Node> {
  const node = await cluster.openAdvancing("http://a");
  await node.coordinator.createCrawl("c", SPEC);
  const lease = (await ask(node.coordinator)).leases[0]!;
  const outcomes = lease.targets.map((target) =>
    target.kind === "robots" ? robots(target) : fetched(target, [`https://${HOST}/2`])
  );
  await complete(node.coordinator, lease, outcomes, { last_start_ago_ms: 0 });
  return node;
}

test("clocks: a wall clock that is set forward brings no host's next start nearer, and none is put off for good", async () => {
  const found: number[] = [];
  for (const stepMs of [0, 1_000, 45_000, 8 * 3_600_000]) {
    const cluster = new ClusterWorld(1);
    const node = await asked(cluster);
    node.aheadMs += stepMs;
    found.push(await untilAskedAgain(cluster, node));
    await cluster.close();
  }
  const [usual, ...after] = found as [number, ...number[]];
  assert.ok(usual >= DELAY_MS);
  for (const ms of after) assert.ok(ms >= usual && ms < usual + 2_000, `asked again after ${found.join(", ")} ms`);
});

test("clocks: a start that was put off by a step of the clock survives the crash of who put it off", async () => {
  const calm = new ClusterWorld(1);
  const usual = await untilAskedAgain(calm, await asked(calm));
  await calm.close();
  const cluster = new ClusterWorld(1);
  const node = await asked(cluster);
  node.aheadMs += 45_000;
  assert.deepEqual((await ask(node.coordinator)).leases, []);
  const killedAt = cluster.world.clock.wallMs();
  node.kill();
  const next = await cluster.openAdvancing("http://a", { aheadMs: 45_000 });
  const startedMs = cluster.world.clock.wallMs() - killedAt;
  const after = startedMs + await untilAskedAgain(cluster, next);
  assert.ok(after >= usual, `asked again after ${after} ms`);
  await cluster.close();
});

test("clocks: slewing and a pause between two readings are no step", () => {
  let [wall, monotonic, pause] = [1_000_000, 500, 0];
  const clock = {
    wallMs: () => wall,
    monotonicMs: () => {
      const now = monotonic;
      wall += pause;
      monotonic += pause;
      pause = 0;
      return now;
    },
    sleep: () => Promise.resolve(),
  };
  const steps = new ClockSteps(clock);
  wall += 3_600_000 + 1_800;
  monotonic += 3_600_000;
  assert.equal(steps.forwardMs(), 0);
  pause = 5_000;
  assert.equal(steps.forwardMs(), 0);
  assert.equal(steps.forwardMs(), 0);
  wall += 400;
  assert.equal(steps.forwardMs(), 400);
  assert.equal(steps.forwardMs(), 0);
  wall -= 4_000;
  assert.equal(steps.forwardMs(), 0);
});
