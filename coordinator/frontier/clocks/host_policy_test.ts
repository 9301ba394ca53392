/** When a longer delay of an operator begins to count. */

import assert from "node:assert/strict";
import { answerAll, ask, newWorld, spec, start } from "../../../tests/support/frontier.ts";
import { test } from "../../../tests/support/test.ts";

const HOST = "a.example";
const DELAY_MS = 60_000;

test("a longer delay counts from the last request on, also where the host's next start was near, and over a crash", async () => {
  const world = newWorld();
  let coordinator = await start(world);
  await coordinator.createCrawl("c", spec([`https://${HOST}/`]));
  await answerAll(coordinator, (await ask(coordinator)).leases[0]!, () => [`https://${HOST}/2`]);
  const lastStartAt = world.clock.wallMs();
  await world.clock.advance(300);
  await coordinator.setHostPolicy(HOST, { minDelayMs: DELAY_MS });
  await coordinator.setHostPolicy(HOST, { minDelayMs: DELAY_MS });
  coordinator = await start(world);
  await world.clock.advance(DELAY_MS - 400);
  assert.deepEqual((await ask(coordinator)).leases, []);
  await world.clock.advance(400);
  const [lease] = (await ask(coordinator)).leases;
  assert.equal(lease!.gap_ms, DELAY_MS);
  const startAt = world.clock.wallMs() + lease!.first_start_in_ms;
  assert.ok(startAt >= lastStartAt + DELAY_MS && startAt <= lastStartAt + DELAY_MS + 1_000, `${startAt - lastStartAt}`);
  await coordinator.close();
});

test("a host that rested for longer than its new delay, or was never asked, is asked at once", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec([`https://${HOST}/`, "https://b.example/"]));
  await coordinator.setHostPolicy("b.example", { minDelayMs: DELAY_MS });
  const { leases } = await ask(coordinator);
  assert.deepEqual(leases.map(({ host, first_start_in_ms }) => [host, first_start_in_ms]).toSorted(), [
    [HOST, 0],
    ["b.example", 0],
  ]);
  for (const lease of leases) await answerAll(coordinator, lease, () => [`https://${HOST}/2`]);
  await coordinator.setHostPolicy(HOST, { paused: true });
  await world.clock.advance(2 * DELAY_MS);
  await coordinator.setHostPolicy(HOST, { minDelayMs: DELAY_MS, paused: false });
  const [again] = (await ask(coordinator)).leases;
  assert.deepEqual([again!.host, again!.first_start_in_ms], [HOST, 0]);
  await coordinator.close();
});
