import assert from "node:assert/strict";
import { LIMITS } from "../protocol/mod.ts";
import type { FrontierVerbs, PermitRequest, Target } from "../protocol/mod.ts";
import { silentLog, testCore } from "../tests/support/frontier.ts";
import { edgeLease } from "../tests/support/edge_lease.ts";
import { test } from "../tests/support/test.ts";
import { VirtualClock } from "../tests/support/virtual_clock.ts";
import { Health } from "./health/health.ts";
import { LeaseHold } from "./lease_hold.ts";
import type { EdgeParts } from "./parts.ts";
import type { FetchRequest, NetworkProbe } from "./ports.ts";
import { askHop, type HopAnswer } from "./robots_hop.ts";
import { Stopwatch } from "./stopwatch.ts";

const TARGET: Target = {
  target_id: "robots:http://a.example",
  url: "http://a.example/robots.txt",
  kind: "robots",
  depth: 0,
  hop: 0,
  not_before_in_ms: 0,
};

/**
 * A lease of a.example whose robots.txt led to b.example. What stands in for the network takes as long as `admissionMs`
 * says to be told that the address may be asked, then sends, or doesn't when that is too late; the first `refusals` times
 * it is told no.
 */
async function hopping(admissionMs: number[], refusals = 0, permit?: FrontierVerbs["permit"], losses = 0) {
  const clock = new VirtualClock();
  const permits: PermitRequest[] = [];
  const sentAt: number[] = [];
  const startedAt: number[] = [];
  let permittedAt = 0;
  const frontier = {
    extend: () => Promise.resolve({ status: "ok", expires_in_ms: 90_000, stop: false }),
    permit(request: PermitRequest) {
      permits.push(request);
      permittedAt = clock.monotonicMs();
      if (permit !== undefined) return permit(request);
      return Promise.resolve({ granted: true, wait_ms: 0 });
    },
  } as unknown as FrontierVerbs;
  const fetcher = {
    async fetch({ sendBy = Infinity }: FetchRequest) {
      const from = clock.monotonicMs();
      await clock.sleep(admissionMs.shift() ?? 0);
      const sent = clock.monotonicMs() < sendBy && refusals-- <= 0;
      if (sent) sentAt.push(clock.monotonicMs() - permittedAt);
      if (sent) startedAt.push(clock.monotonicMs());
      const timings = { startedAt: from, totalMs: clock.monotonicMs() - from };
      const lost = sent && losses-- > 0 ? { lost: true } : {};
      return { ...lost, ok: false, failure: sent ? "connect_reset" : "aborted", detail: "", sent, timings };
    },
  };
  const settings = { workerId: "w", confirmMs: 5_000, fetchLimits: { wallMs: 30_000 } };
  const health = new Health({ clock, log: silentLog, probe: {} as NetworkProbe, onTrouble: () => {} });
  const parts = {
    clock,
    frontier,
    fetcher,
    core: await testCore(),
    log: silentLog,
    settings,
    health,
  } as unknown as EdgeParts;
  const lease = edgeLease({ epoch: 3, slot: 9, host: "a.example" });
  const hold = new LeaseHold(lease, parts, Stopwatch.start(clock), new AbortController().signal);
  const answer: Promise<HopAnswer> = askHop(hold, parts, {
    url: "http://b.example/r.txt",
    target: TARGET,
    isHop: true,
  });
  return { clock, permits, sentAt, startedAt, answer };
}

test("hop: a request whose address was permitted too late isn't sent on the old permit, but on a new one", async () => {
  const { clock, permits, sentAt, answer } = await hopping([5_000]);
  await clock.advance(30_000);
  const answered = await answer;
  assert.ok(answered !== undefined && answered !== "refused" && !answered.answer.ok && answered.answer.sent);
  assert.deepEqual([permits.length, sentAt], [2, [0]]);
});

test("hop: where the address' owner is always too slow nobody is asked, and it ends", async () => {
  const { clock, permits, sentAt, answer } = await hopping(Array.from({ length: 99 }, () => LIMITS.permitStartMs));
  await clock.advance(60_000);
  const answered = await answer;
  assert.ok(answered !== undefined && answered !== "refused" && !answered.answer.ok && !answered.answer.sent);
  assert.ok(permits.length > 1 && permits.length < 10, `${permits.length} permits`);
  assert.deepEqual(sentAt, []);
});

test("hop: an address that is full is tried again, each time by a permit of its own", async () => {
  const { clock, permits, sentAt, answer } = await hopping([], 3);
  await clock.advance(30_000);
  const answered = await answer;
  assert.ok(answered !== undefined && answered !== "refused" && !answered.answer.ok && answered.answer.sent);
  assert.deepEqual([permits.length, sentAt], [4, [0]]);
});

test("hop: a visit that a kept connection took with it is made anew once, by a permit of its own and in the lease's pace", async () => {
  const { clock, permits, sentAt, startedAt, answer } = await hopping([], 0, undefined, 2);
  await clock.advance(30_000);
  const answered = await answer;
  assert.ok(answered !== undefined && answered !== "refused" && !answered.answer.ok && answered.answer.sent);
  assert.deepEqual([permits.length, sentAt, answered.lost], [2, [0, 0], 1]);
  assert.ok(startedAt[1]! - startedAt[0]! >= 1_000, `${startedAt}`);
});

test("hop: a host of another coordinator is asked for there, again with the same word, and its time counts from there", async () => {
  const answers = [{ granted: false, wait_ms: 1_000 }, { granted: true, wait_ms: 0 }];
  const world: { clock?: VirtualClock } = {};
  const permit = async ({ ticket }: PermitRequest) => {
    // Longer than a permit lasts.
    if (ticket === undefined) await world.clock!.sleep(LIMITS.permitStartMs + 1);
    return ticket === undefined
      ? { granted: false, wait_ms: 0, referral: { slot: 77, ticket: "word" } }
      : answers.shift()!;
  };
  const hop = await hopping([], 0, permit);
  world.clock = hop.clock;
  await hop.clock.advance(30_000);
  const answered = await hop.answer;
  assert.ok(answered !== undefined && answered !== "refused" && !answered.answer.ok && answered.answer.sent);
  assert.deepEqual(hop.permits.map(({ slot, ticket }) => [slot, ticket]), [[9, undefined], [77, "word"], [77, "word"]]);
});

test("hop: a host whose coordinator doesn't answer is given up, and that is no trouble of this machine", async () => {
  const { clock, answer } = await hopping([], 0, () => Promise.reject(new Error("nobody is there")));
  await clock.advance(1_000);
  assert.equal(await answer, "refused");
});
