import assert from "node:assert/strict";
import type { FrontierVerbs, Target } from "../protocol/mod.ts";
import { edgeLease } from "../tests/support/edge_lease.ts";
import { silentLog } from "../tests/support/frontier.ts";
import { test } from "../tests/support/test.ts";
import { VirtualClock } from "../tests/support/virtual_clock.ts";
import { type Answered, ask, requestsOf, type ToAsk } from "./exchange.ts";
import { Health } from "./health/health.ts";
import { LeaseHold } from "./lease_hold.ts";
import type { EdgeParts } from "./parts.ts";
import type { Exchange, FetchFailure, FetchRequest, NetworkProbe } from "./ports.ts";
import { Stopwatch } from "./stopwatch.ts";

type Comes = "lost" | "reset" | "page";
const TARGET: Target = { target_id: "1", url: "http://a.test/", kind: "page", depth: 0, hop: 0, not_before_in_ms: 0 };

/** A lease of a host with a gap of a second, whose answers take 100 ms and are these; `starts` says when each was sent. */
function asking(answers: Comes[], what: Partial<ToAsk> = {}) {
  const clock = new VirtualClock();
  const starts: number[] = [];
  const conditions: string[] = [];
  const stop = new AbortController();
  const fetcher = {
    async fetch({ url, headers, onSent }: FetchRequest): Promise<Exchange | FetchFailure> {
      conditions.push(...headers.filter(([name]) => name.startsWith("If-")).map(([name]) => name));
      const startedAt = clock.monotonicMs();
      starts.push(startedAt);
      onSent?.();
      await clock.sleep(100);
      const timings = { startedAt, totalMs: 100 };
      const comes = answers.shift();
      if (comes === "page") return { ok: true, url, timings } as unknown as Exchange;
      const lost = comes === "lost" ? { lost: true } as const : {};
      return { ok: false, failure: "connect_reset", detail: "It ended.", sent: true, ...lost, timings };
    },
  };
  const extend = () => Promise.resolve({ status: "ok", expires_in_ms: 90_000, stop: false });
  const settings = { workerId: "w", confirmMs: 5_000, fetchLimits: { wallMs: 30_000 } };
  const health = new Health({ clock, log: silentLog, probe: {} as NetworkProbe, onTrouble: () => {} });
  const frontier = { extend } as unknown as FrontierVerbs;
  const parts = { clock, frontier, fetcher, log: silentLog, settings, health } as unknown as EdgeParts;
  const hold = new LeaseHold(edgeLease(), parts, Stopwatch.start(clock), stop.signal);
  const answer = ask(hold, parts, { url: TARGET.url, target: TARGET, isHop: false, ...what }) as Promise<Answered>;
  return { clock, starts, conditions, stop, hold, answer };
}

test("a request that a kept connection took with it is sent anew once, a whole gap after it was lost", async () => {
  const { clock, starts, answer } = asking(["lost", "page"]);
  await clock.advance(5_000);
  const answered = await answer;
  assert.equal(answered.answer.ok, true);
  assert.equal(requestsOf(answered), 2);
  assert.equal(starts[1]! - starts[0]!, 1_100);
});

test("a request that is lost a second time has failed, and so has one that a new connection took with it", async () => {
  for (const [answers, requests] of [[["lost", "lost", "page"], 2], [["reset", "page"], 1]] as [Comes[], number][]) {
    const { clock, starts, answer } = asking(answers);
    await clock.advance(10_000);
    const answered = await answer;
    assert.ok(!answered.answer.ok && answered.answer.failure === "connect_reset");
    assert.deepEqual([requestsOf(answered), starts.length], [requests, requests]);
  }
});

test("a request that was lost and can't be sent anew says nothing of its host, but counts as a start", async () => {
  const { clock, starts, stop, answer } = asking(["lost", "page"]);
  await clock.advance(500);
  stop.abort();
  await clock.advance(5_000);
  const answered = await answer;
  assert.ok(!answered.answer.ok);
  assert.deepEqual([answered.answer.failure, answered.answer.sent], ["aborted", false]);
  assert.deepEqual([requestsOf(answered), starts.length], [1, 1]);
});

test("E83: validators go to the URL that they were had from, not to where it redirects", async () => {
  const target = { ...TARGET, etag: '"1"', last_modified: "Sun, 06 Nov 1994 08:49:37 GMT" };
  const both = ["If-None-Match", "If-Modified-Since"];
  for (const [url, wanted] of [[TARGET.url, both], ["http://a.test/?moved", []]] as [string, string[]][]) {
    const { clock, conditions, answer } = asking(["page"], { url, target, isHop: true });
    await clock.advance(5_000);
    await answer;
    assert.deepEqual(conditions, wanted, url);
  }
});
