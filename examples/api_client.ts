/**
 * The typed client: creates a crawl, waits for its end, and lists what was stored.
 *
 *   outrider coordinator &
 *   outrider edge --coordinator http://127.0.0.1:8600 --region here &
 *   deno run -A examples/api_client.ts https://example.org/ you@example.org      (or: bun examples/api_client.ts …)
 *
 * Environment: OUTRIDER_URL (default http://127.0.0.1:8600), OUTRIDER_TOKEN (of role operator, where tokens are set).
 */

import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { done, outriderClient } from "outrider/client";

const { OUTRIDER_URL = "http://127.0.0.1:8600", OUTRIDER_TOKEN: token } = process.env;
const { v1 } = outriderClient(OUTRIDER_URL, token === undefined ? {} : { token });

const [seed, contact] = process.argv.slice(2);
if (seed === undefined) throw new Error("Usage: api_client.ts SEED-URL [CONTACT]");

const { crawl_id } = await done(v1.crawls.$post({
  json: { seeds: [seed], scope: { kind: "host", max_depth: 3 }, max_pages: 100, ...(contact ? { contact } : {}) },
  header: { "idempotency-key": crypto.randomUUID() },
}));
console.log(`crawl ${crawl_id}`);

for (;;) {
  const stats = await done(v1.crawls[":crawl_id"].stats.$get({ param: { crawl_id } }));
  console.log(
    `${stats.state}: ${stats.pages} pages, ${stats.queued} queued, ${stats.excluded} excluded, ${stats.dead} dead`,
  );
  if (stats.state !== "running") break;
  await sleep(500);
}

for (let after = "";;) {
  const { events, next } = await done(v1.events.$get({ query: { after }, header: {} }));
  if (events.length === 0) break;
  for (const { url, http_status, storage_key, offset } of events) {
    console.log(`${http_status} ${url} in ${storage_key} at ${offset}`);
  }
  after = next;
}
