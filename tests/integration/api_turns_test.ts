/** Who only asks gives way to edges: a lease isn't kept waiting by the questions that came before it. */

import assert from "node:assert/strict";
import { apiClient } from "../support/api_client.ts";
import { apiParts, EDGE_TOKEN, READER_TOKEN } from "../support/api_parts.ts";
import { withControlPlane } from "../support/control_plane.ts";
import { test } from "../support/test.ts";

const QUESTIONS = 300;
/** Turns of the event loop that a lease request takes until it is with the frontier, and then some. */
const TURNS = 20;

test("a lease that comes behind hundreds of questions waits for a few of them", () =>
  withControlPlane(async (plane) => {
    let asked = 0;
    let askedBefore: number | undefined;
    const parts = apiParts(plane);
    const coordinator = Object.assign(Object.create(plane.coordinator), {
      crawls: () => {
        asked++;
        return plane.coordinator.crawls();
      },
      lease: (request: Parameters<typeof plane.coordinator.lease>[0]) => {
        askedBefore = asked;
        return plane.coordinator.lease(request);
      },
    });
    const ask = apiClient({ ...parts, coordinator });
    // The first request reads the tokens.
    await ask("GET /v1/crawls", { token: READER_TOKEN });
    asked = 0;
    const questions = Array.from({ length: QUESTIONS }, () => ask("GET /v1/crawls", { token: READER_TOKEN }));
    const lease = { worker_id: "tokyo", region: "r", max: 1, max_leases: 1, holding: 0 };
    const answer = await ask("POST /v1/frontier/lease", { token: EDGE_TOKEN, json: lease });
    assert.equal(answer.status, 200);
    assert.ok(askedBefore! <= TURNS, `${askedBefore} questions were answered before the lease`);
    assert.ok((await Promise.all(questions)).every(({ status }) => status === 200));
    assert.equal(asked, QUESTIONS);
  }));
