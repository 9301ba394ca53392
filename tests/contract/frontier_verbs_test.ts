/** The frontier verbs in this process and across HTTP: the same scenarios, the same answers. */

import assert from "node:assert/strict";
import { startApi } from "../../coordinator/api/server.ts";
import { createFleetFrontier } from "../../edge/adapters/fleet_frontier.ts";
import type { FrontierVerbs } from "../../protocol/mod.ts";
import { systemClock, systemRandom } from "../../runtime/node.ts";
import { serve } from "../../runtime/serve.ts";
import { apiParts, EDGE_TOKEN } from "../support/api_parts.ts";
import { type ControlPlane, silentLog, withControlPlane } from "../support/control_plane.ts";
import { test } from "../support/test.ts";
import { type Scenario, SCENARIOS } from "./frontier_verbs_suite.ts";

type Connect = (plane: ControlPlane, body: (frontier: FrontierVerbs) => Promise<void>) => Promise<void>;

const inProcess: Connect = ({ coordinator }, body) => body(coordinator);

const overHttp: Connect = async (plane, body) => {
  const server = await startApi({ ...apiParts(plane), serve, hostname: "127.0.0.1", port: 0 });
  const frontier = createFleetFrontier({
    baseUrls: [server.url],
    token: EDGE_TOKEN,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  });
  try {
    await body(frontier);
  } finally {
    await frontier.close();
    await server.close();
  }
};

async function answersOf(scenario: Scenario, connect: Connect): Promise<unknown> {
  let answers: unknown[] = [];
  await withControlPlane(
    (plane) => connect(plane, async (frontier) => void (answers = await scenario.run(frontier, plane))),
    { shards: scenario.shards ?? 1, settings: scenario.settings ?? {} },
  );
  return comparable(answers);
}

/** Without what differs between two runs: names of leases, and times that depend on when they were asked. */
const DIFFERING = /^(?:lease_id|.*_in_ms|retry_after_ms|wait_ms|reason)$/;

function comparable(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner) => DIFFERING.test(key) ? typeof inner : inner));
}

for (const scenario of SCENARIOS) {
  test(`frontier in this process and over HTTP: ${scenario.name}`, async () => {
    assert.deepEqual(await answersOf(scenario, overHttp), await answersOf(scenario, inProcess));
  });
}
