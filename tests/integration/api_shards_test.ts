/** Shards and slots over the API: what is listed, added, and moved. */

import assert from "node:assert/strict";
import { apiClient } from "../support/api_client.ts";
import { apiParts } from "../support/api_parts.ts";
import { withControlPlane } from "../support/control_plane.ts";
import { test } from "../support/test.ts";
import { slotOf } from "../../protocol/mod.ts";
import { testCore } from "../support/frontier.ts";

test("API: a shard that is added is listed, and slots are spread to it; a slot that is sent somewhere stays there", () =>
  withControlPlane(async (plane) => {
    const ask = apiClient(apiParts(plane));
    const { body } = await ask("GET /v1/shards");
    const first = { shard: 0, location: "frontier-0.db", slots: 4096, urls: 0 };
    assert.deepEqual(body, { map_version: 1, spreading: false, moves: [], shards: [first] });
    const added = await ask("POST /v1/shards", { json: { location: "/data/frontier-1.db" } });
    assert.deepEqual([added.status, added.body], [202, { shard: 1 }]);
    const listed = (await ask("GET /v1/shards")).body;
    assert.deepEqual([listed.map_version, listed.spreading], [2, true]);
    assert.deepEqual(listed.shards[1], { shard: 1, location: "/data/frontier-1.db", slots: 0 });
    const moved = await ask("POST /v1/slots/7/move", { json: { to: 1 } });
    assert.deepEqual([moved.status, moved.body], [202, { slot: 7, from: 0, to: 1 }]);
    const after = (await ask("GET /v1/shards")).body;
    assert.deepEqual([after.spreading, after.moves], [false, [{ slot: 7, from: 0, to: 1, state: "freezing" }]]);
    assert.equal((await ask("POST /v1/slots/8/move", { json: { to: 0 } })).status, 409, "it is there");
    assert.equal((await ask("POST /v1/slots/8/move", { json: { to: 2 } })).status, 404, "there is no such shard");
    assert.equal((await ask("POST /v1/slots/4096/move", { json: { to: 1 } })).status, 400);
    for (const location of ["frontier-1.db", "", "libsql://user:secret@db.example/", "https://db.example/?token=x"]) {
      assert.equal((await ask("POST /v1/shards", { json: { location } })).status, 400, location);
    }
    const link = await ask("POST /v1/shards", { json: { location: "/link/frontier-0.db" } });
    assert.deepEqual([link.status, /under another name; wanted an empty one/.test(link.body.detail)], [409, true]);
    assert.equal((await ask("GET /v1/shards")).body.shards.length, 2);
  }));

test("API: a policy for a host whose slot is on its way is a 503 that says to ask again", () =>
  withControlPlane(async (plane) => {
    const ask = apiClient(apiParts(plane));
    const core = await testCore();
    const slot = slotOf(core.xxh64(new TextEncoder().encode("example.org")));
    const { directory } = plane.control;
    await directory.addShard("/data/frontier-1.db");
    await directory.beginMove({ slot, from: 0, to: 1 });
    await plane.coordinator.slots!.tick(await directory.read());
    for (
      const [request, json] of [
        ["PUT /v1/hosts/www.example.org/policy", { paused: true }],
        ["PUT /v1/domains/example.org/policy", { paused: true }],
      ] as const
    ) {
      const answer = await ask(request, { json });
      assert.equal(answer.status, 503, request);
      assert.match(answer.body.detail, /on its way to another shard; ask again/);
    }
    assert.equal((await ask("PUT /v1/hosts/other.example/policy", { json: { paused: true } })).status, 200);
  }));
