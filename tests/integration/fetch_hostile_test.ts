/**
 * Every trick of the hostile server, alone and all at once: each ends in its time, with its class, in bounded memory, and
 * costs the others nothing.
 */

import assert from "node:assert/strict";
import process from "node:process";
import type { Exchange, FetchFailure } from "../../edge/ports.ts";
import { get, testFetcher, text, whole } from "../support/fetching.ts";
import { startHostileServer, TRICKS, type Wanted } from "../support/hostile_server.ts";
import { test } from "../support/test.ts";

const LIMITS = { connectMs: 1000, idleMs: 700, wallMs: 2500, wireBytes: 1_000_000, decodedBytes: 1_000_000 };
/** Beyond the wall clock: ticks, and what a busy machine takes to decode. */
const SLACK_MS = 4_000;

function check(name: string, result: Exchange | FetchFailure, wanted: Wanted): void {
  if ("failure" in wanted) {
    assert.ok(!result.ok, `${name}: wanted ${wanted.failure}, found status ${result.ok && result.status}`);
    assert.equal(result.failure, wanted.failure, `${name}: ${result.detail}`);
    assert.match(result.detail, /^[A-Z].*\.$/s, name);
    return;
  }
  const exchange = whole(result);
  assert.equal(exchange.truncated, wanted.truncated, `${name}: ${exchange.decodeProblem}`);
  const most = wanted.bodyAtMost ?? LIMITS.wireBytes;
  assert.ok(exchange.body.length <= most, `${name}: ${exchange.body.length} bytes, at most ${most} are wanted`);
  assert.ok(exchange.decoded.length <= LIMITS.decodedBytes, `${name}: ${exchange.decoded.length} bytes decoded`);
}

test("hostile server: each trick ends in its time and with its class (E65, E66, E68)", async () => {
  const server = await startHostileServer();
  const fetcher = testFetcher({ maxSocketsPerOrigin: 64 });
  await Promise.all(
    Object.entries(TRICKS).map(async ([name, { wants }]) => {
      const from = performance.now();
      check(name, await fetcher.fetch(get(server.url(name), LIMITS)), wants);
      const tookMs = performance.now() - from;
      assert.ok(tookMs < LIMITS.wallMs + SLACK_MS, `${name} took ${tookMs} ms`);
    }),
  );
  assert.equal(text(whole(await fetcher.fetch(get(server.url("good"), LIMITS))).body), "hello");
  await fetcher.close();
  await server.close();
});

test("hostile server: all tricks eight times at once cost bounded memory, and good pages their usual time", async () => {
  const server = await startHostileServer();
  const fetcher = testFetcher({ maxSocketsPerOrigin: 1000 });
  const rssBefore = process.memoryUsage.rss();
  let peak = rssBefore;
  const watch = setInterval(() => peak = Math.max(peak, process.memoryUsage.rss()), 20);
  const names = Object.keys(TRICKS);
  const tricks = Array.from(
    { length: 8 * names.length },
    (_, i) => fetcher.fetch(get(server.url(names[i % names.length]!), LIMITS)),
  );
  // While they are all under way.
  for (let i = 0; i < 20; i++) whole(await fetcher.fetch(get(server.url("good"))));
  const results = await Promise.all(tricks);
  clearInterval(watch);
  results.forEach((result, i) => {
    if (!result.ok) assert.match(result.detail, /^[A-Z].*\.$/s);
    else assert.ok(result.body.length <= LIMITS.wireBytes, names[i % names.length]);
  });
  // 96 bodies of 1 MB on the wire or decoded, what the server itself makes (it lives in this process), and the collector.
  const grownMb = (peak - rssBefore) / 1e6;
  assert.ok(grownMb < 300, `memory grew by ${grownMb.toFixed(0)} MB`);
  await fetcher.close();
  await server.close();
});
