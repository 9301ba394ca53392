/**
 * Bad input on every route of the API, fuzzed from its OpenAPI document: a clear 4xx, and nothing changed.
 * `OUTRIDER_API_FUZZ=200000 OUTRIDER_API_FUZZ_SEED=7 deno test -A tests/fuzz/api_fuzz_test.ts` for a long run.
 */

import assert from "node:assert/strict";
import process from "node:process";
import { createApi } from "../../coordinator/api/api.ts";
import { apiClient } from "../support/api_client.ts";
import { apiParts, OPERATOR_TOKEN } from "../support/api_parts.ts";
import { ApiTruth } from "../support/api_truth.ts";
import { walkApi } from "../support/api_walk.ts";
import { type ControlPlane, type Disks, freshDisks, openControlPlane } from "../support/control_plane.ts";
import { stateOf } from "../support/disk_state.ts";
import { test } from "../support/test.ts";
import { type BadRequest, badRequest } from "./api_bad_requests.ts";
import { Chance } from "./chance.ts";

const REQUESTS = Number(process.env.OUTRIDER_API_FUZZ ?? 400);
const SEED = Number(process.env.OUTRIDER_API_FUZZ_SEED ?? 1);
/** Requests between two looks at the stores. */
const STRETCH = 250;

test(
  `API fuzz: ${REQUESTS} bad requests of seed ${SEED} are refused with problems, and change nothing`,
  async () => {
    const disks = freshDisks();
    const plane = await openControlPlane(disks);
    try {
      const parts = { ...apiParts(plane), rates: { operator: 0 } };
      const good = await walkApi(apiClient(parts), plane);
      const truth = new ApiTruth((await apiClient(parts)("GET /openapi.json")).body);
      const app = createApi(parts);
      const chance = new Chance(SEED);
      const statuses = new Map<number, number>();
      const operations = new Set<string>();
      let before = await restingState(disks, plane);
      for (let sent = 0; sent < REQUESTS;) {
        const request = badRequest(good, truth, chance);
        if (request === undefined) continue;
        const status = await refused(app, truth, request);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        operations.add(request.operation);
        if (++sent % STRETCH !== 0 && sent !== REQUESTS) continue;
        const after = stateOf(disks);
        assert.ok(after === before, `something of the last ${STRETCH} requests (up to ${sent}) changed the stores`);
        before = after;
      }
      assert.ok([400, 413, 415].every((status) => statuses.has(status)), JSON.stringify([...statuses]));
      const takesInput = truth.operations().filter((operation) =>
        truth.requestSchema(operation) !== undefined ||
        truth.parameters(operation).some(({ in: place }) => place !== "header")
      );
      assert.deepEqual(takesInput.filter((operation) => !operations.has(operation)), []);
    } finally {
      await plane.coordinator.close();
    }
  },
  { timeoutMs: 600_000 + REQUESTS * 50 },
);

/** Once nothing of the walk runs out any more: permits, windows of domains. */
async function restingState(disks: Disks, { advance, clock }: ControlPlane): Promise<string> {
  advance(3_600_000);
  for (let last = "";;) {
    await clock.sleep(100);
    const state = stateOf(disks);
    if (state === last) return state;
    last = state;
  }
}

async function refused(app: ReturnType<typeof createApi>, truth: ApiTruth, request: BadRequest): Promise<number> {
  const { method, path, headers, body, how } = request;
  const told = `${method} ${path.slice(0, 200)} (${how}) ${String(body ?? "").slice(0, 300)}`;
  const response = await app.request(`http://localhost${path}`, {
    method,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, ...headers },
    ...(body === undefined ? {} : { body: body as BodyInit }),
  });
  const text = await response.text();
  const { status } = response;
  assert.ok(status >= 400 && status < 500, `${status} for ${told}: ${text.slice(0, 300)}`);
  const contentType = response.headers.get("content-type") ?? "";
  assert.match(contentType, /^application\/problem\+json/, told);
  const answer = JSON.parse(text);
  assert.match(answer.detail, /\.$/, told);
  assert.ok(text.length < 20_000, `${text.length} characters for ${told}`);
  assert.equal(truth.lie({ method, path, status, contentType, body: answer }), undefined, told);
  return status;
}
