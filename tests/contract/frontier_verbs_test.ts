/** The frontier verbs in this process and across HTTP: the same scenarios, the same answers. */

import assert from "node:assert/strict";
import { startApi } from "../../coordinator/api/server.ts";
import { createFleetFrontier } from "../../edge/adapters/fleet_frontier.ts";
import { createHttpFrontier, type HttpFrontier } from "../../edge/adapters/http_frontier.ts";
import type { FrontierVerbs } from "../../protocol/mod.ts";
import { systemClock, systemRandom } from "../../runtime/node.ts";
import { serve } from "../../runtime/serve.ts";
import { apiParts, EDGE_TOKEN } from "../support/api_parts.ts";
import { type ControlPlane, silentLog, withControlPlane } from "../support/control_plane.ts";
import { test } from "../support/test.ts";
import { type Scenario, SCENARIOS } from "./frontier_verbs_suite.ts";

type Connect = (plane: ControlPlane, body: (frontier: FrontierVerbs) => Promise<void>) => Promise<void>;

const inProcess: Connect = ({ coordinator }, body) => body(coordinator);

const CLIENT = { token: EDGE_TOKEN, clock: systemClock, random: systemRandom, log: silentLog };

/** As one coordinator is asked, and as several are. */
const adapters: Readonly<Record<string, (url: string) => HttpFrontier>> = {
  "over HTTP": (baseUrl) => createHttpFrontier({ ...CLIENT, baseUrl }),
  "over HTTP, by an edge of several coordinators": (url) => createFleetFrontier({ ...CLIENT, baseUrls: [url] }),
};

const overHttp = (adapter: (url: string) => HttpFrontier): Connect => async (plane, body) => {
  const server = await startApi({ ...apiParts(plane), serve, hostname: "127.0.0.1", port: 0 });
  const frontier = adapter(server.url);
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
  test(`frontier in this process: ${scenario.name}`, async () => {
    await answersOf(scenario, inProcess);
  });
  for (const [name, adapter] of Object.entries(adapters)) {
    test(`frontier ${name}, as in this process: ${scenario.name}`, async () => {
      assert.deepEqual(await answersOf(scenario, overHttp(adapter)), await answersOf(scenario, inProcess));
    });
  }
}
