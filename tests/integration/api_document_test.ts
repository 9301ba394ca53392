/** The OpenAPI document is true: every operation is answered as it says. */

import assert from "node:assert/strict";
import { apiClient } from "../support/api_client.ts";
import { apiParts } from "../support/api_parts.ts";
import { ApiTruth } from "../support/api_truth.ts";
import { walkApi } from "../support/api_walk.ts";
import { withControlPlane } from "../support/control_plane.ts";
import { test } from "../support/test.ts";

test("OpenAPI: every operation of the document is answered with what it says, and nothing else", () =>
  withControlPlane(async (plane) => {
    // Each answer is held against the document by the client itself.
    const ask = apiClient(apiParts(plane));
    const truth = new ApiTruth((await ask("GET /openapi.json")).body);
    const sent = await walkApi(ask, plane);
    const walked = new Set(sent.map(({ operation }) => operation));
    assert.deepEqual(truth.operations().filter((operation) => !walked.has(operation)), []);
    for (const { operation, json } of sent) {
      if (json !== undefined) assert.ok(truth.fitsRequest(operation, json), operation);
    }
  }));

test("OpenAPI: a lie is found", () =>
  withControlPlane(async (plane) => {
    const truth = new ApiTruth((await apiClient(apiParts(plane))("GET /openapi.json")).body);
    const good = {
      method: "GET",
      path: "/healthz",
      status: 200,
      contentType: "application/json",
      body: { status: "ok", version: "1" },
    };
    assert.equal(truth.lie(good), undefined);
    for (
      const change of [
        { body: { status: "ok" } },
        { body: { status: "ok", version: "1", more: 1 } },
        { body: { status: "bad", version: "1" } },
        { status: 201 },
        { contentType: "text/plain" },
        { path: "/none" },
        { method: "POST" },
      ]
    ) {
      assert.ok(truth.lie({ ...good, ...change }), JSON.stringify(change));
    }
  }));
