/** E57: a coordinator restarts, its edges reconnect unaided and lose no completion. */

import assert from "node:assert/strict";
import { startApi } from "../../coordinator/api/server.ts";
import { createFleetFrontier } from "../../edge/adapters/fleet_frontier.ts";
import { systemClock, systemRandom } from "../../runtime/node.ts";
import { serve } from "../../runtime/serve.ts";
import { apiParts, EDGE_TOKEN } from "../support/api_parts.ts";
import { type ControlPlane, type Disks, freshDisks, openControlPlane, silentLog } from "../support/control_plane.ts";
import { fetched, robots, targetOf } from "../support/outcomes.ts";
import { crawlSpec } from "../support/specs.ts";
import { test } from "../support/test.ts";

interface Running {
  readonly plane: ControlPlane;
  readonly url: string;
  stop(): Promise<void>;
}

async function start(disks: Disks, port = 0): Promise<Running> {
  const plane = await openControlPlane(disks);
  const server = await startApi({ ...apiParts(plane), serve, hostname: "127.0.0.1", port });
  return {
    plane,
    url: server.url,
    async stop() {
      await server.close();
      await plane.coordinator.close();
    },
  };
}

test("a completion that is sent while the coordinator is away arrives once it is back, and counts once", async () => {
  const disks = freshDisks();
  const first = await start(disks);
  const failed = Promise.withResolvers<void>();
  const frontier = createFleetFrontier({
    baseUrls: [first.url],
    token: EDGE_TOKEN,
    clock: systemClock,
    random: systemRandom,
    log: { ...silentLog, warn: () => failed.resolve() },
  });
  let running = first;
  try {
    await first.plane.coordinator.createCrawl("c", crawlSpec(["http://a.test/"]));
    const { leases: [lease] } = await frontier.lease({
      worker_id: "w",
      region: "r",
      max: 9,
      max_leases: 1,
      holding: 0,
    });
    const { lease_id, epoch, slot } = lease!;
    await first.stop();
    const outcomes = [robots(targetOf(lease!, "robots")), fetched(targetOf(lease!, "page"), ["http://a.test/1"])];
    const completion = { worker_id: "w", lease_id, epoch, slot, outcomes, done: true };
    const pending = frontier.complete(completion);
    await failed.promise;
    running = await start(disks, Number(new URL(first.url).port));
    assert.deepEqual(await pending, { status: "ok", accepted: 1 });
    assert.equal((await frontier.complete(completion)).accepted, 0);
    const stats = running.plane.coordinator.stats("c")!;
    assert.deepEqual([stats.accepted, stats.settled, stats.fetched], [2, 1, 1]);
  } finally {
    await frontier.close();
    if (running !== first) await running.stop();
  }
});
