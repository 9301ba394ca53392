/** Seeds of shards that another coordinator owns: the answers tell how many they are. */

import assert from "node:assert/strict";
import { MemoryControlStore } from "../../coordinator/store/memory_control_store.ts";
import { systemClock } from "../../runtime/node.ts";
import { apiClient } from "../support/api_client.ts";
import { apiParts } from "../support/api_parts.ts";
import { test } from "../support/test.ts";
import { domainsOf, startPair } from "../support/two_coordinators.ts";

test("seeds: each is told as enqueued, seen, rejected or forwarded to another coordinator's shard", async () => {
  const pair = await startPair();
  try {
    const [coordinator] = pair.coordinators;
    const control = new MemoryControlStore(pair.world.control);
    const ask = apiClient(apiParts({ coordinator, control, clock: systemClock, advance() {} }));
    const page = (host: string) => `https://${host}/`;
    const [own, mine] = (await domainsOf(0, 2)).map(page);
    const [far, other, third] = (await domainsOf(1, 3)).map(page);
    const scope = { kind: "any" };
    const made = await ask("POST /v1/crawls", { json: { crawl_id: "c", seeds: [own, far, other], scope } });
    const counts = { already_seen: 0, forwarded: 2, rejected: [] };
    assert.deepEqual(made.body, { crawl_id: "c", enqueued: 1, ...counts });
    const urls = [own, mine, third, `${third}a`];
    const { request_id: _, ...added } = (await ask("POST /v1/crawl/seeds", { json: { crawl_id: "c", urls } })).body;
    assert.deepEqual(added, { crawl_id: "c", enqueued: 1, ...counts, already_seen: 1 });
    const found = [`${own}a`, `${far}a`, `${far}b`].map((url) => ({ url }));
    const taken = await ask("POST /v1/frontier/enqueue", { json: { crawl_id: "c", urls: found } });
    assert.deepEqual(taken.body, { accepted: 1, ...counts });
    const near = await ask("POST /v1/crawl/seeds", { json: { crawl_id: "c", urls: [mine] } });
    assert.equal("forwarded" in near.body, false, "absent where nothing was");
  } finally {
    await pair.close();
  }
});
