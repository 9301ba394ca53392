import assert from "node:assert/strict";
import type { FrontierVerbs, Lease, SettledRequest } from "../protocol/mod.ts";
import { silentLog } from "../tests/support/frontier.ts";
import { test } from "../tests/support/test.ts";
import { VirtualClock } from "../tests/support/virtual_clock.ts";
import { ask } from "./exchange.ts";
import { Health } from "./health/health.ts";
import { LeaseHold } from "./lease_hold.ts";
import type { EdgeParts } from "./parts.ts";
import type { NetworkProbe } from "./ports.ts";
import { Stopwatch } from "./stopwatch.ts";

const LEASE_MS = 90_000;

/** A lease of a host with this gap, under which one request was just made; `extensions` tells how often it was extended. */
function holding(gapMs: number, stop = false, max_parallel = 1) {
  const clock = new VirtualClock();
  const extensions: number[] = [];
  const freed: SettledRequest[] = [];
  const way = { isDown: false };
  const settled = (request: SettledRequest) => Promise.resolve(void freed.push(request));
  const extend = () => {
    extensions.push(clock.monotonicMs());
    if (way.isDown) return Promise.reject(new Error("no way to the coordinator"));
    return Promise.resolve({ status: "ok", expires_in_ms: LEASE_MS, stop });
  };
  const lease = {
    lease_id: "l",
    crawl: { user_agent: "outrider" },
    expires_in_ms: LEASE_MS,
    gap_ms: gapMs,
    delay_factor: 0,
    delay_cap_ms: 60_000,
    first_start_in_ms: 0,
    max_parallel,
  } as Lease;
  const settings = { workerId: "w", confirmMs: 5_000, fetchLimits: { wallMs: 30_000 } };
  const frontier = { extend, settled } as unknown as FrontierVerbs;
  const health = new Health({ clock, log: silentLog, probe: {} as NetworkProbe, onTrouble: () => {} });
  const parts = { clock, frontier, log: silentLog, settings, health } as unknown as EdgeParts;
  const hold = new LeaseHold(lease, parts, Stopwatch.start(clock), new AbortController().signal);
  return { clock, hold, extensions, health, freed, way };
}

async function first({ clock, hold }: ReturnType<typeof holding>): Promise<number> {
  assert.ok(await hold.mayStart());
  hold.pace.sent(clock.monotonicMs());
  hold.pace.responded(clock.monotonicMs(), 10);
  return clock.monotonicMs();
}

test("a redirect whose host's gap is longer than a lease is followed: the lease is extended meanwhile", async () => {
  const held = holding(300_000);
  const startedAt = await first(held);
  let goesOnAt: number | undefined;
  void held.hold.mayGoOn().then((isFree) => goesOnAt = isFree ? held.clock.monotonicMs() : -1);
  await held.clock.advance(299_000);
  assert.equal(goesOnAt, undefined);
  await held.clock.advance(2_000);
  assert.equal(goesOnAt! - startedAt, 300_000);
  const steps = held.extensions.map((at, i) => at - (held.extensions[i - 1] ?? startedAt));
  assert.ok(Math.max(...steps) < LEASE_MS, `extended after ${steps} ms`);
});

test("a target that isn't begun goes back when its host's gap is longer than the lease", async () => {
  const held = holding(300_000);
  await first(held);
  assert.equal(await held.hold.mayStart(), false);
  assert.deepEqual(held.extensions, []);
});

test("a target that finds no time left doesn't end a redirect that is waited for", async () => {
  const held = holding(70_000);
  await first(held);
  let answer: boolean | undefined;
  void held.hold.mayGoOn().then((isFree) => answer = isFree);
  assert.equal(await held.hold.mayStart(), false);
  await held.clock.advance(80_000);
  assert.equal(answer, true);
});

test("a lease that is told to stop isn't extended for a redirect", async () => {
  const held = holding(300_000, true);
  await first(held);
  let answer: boolean | undefined;
  void held.hold.mayGoOn().then((isFree) => answer = isFree);
  await held.clock.advance(50_000);
  assert.equal(answer, false);
  assert.equal(held.hold.over, true);
});

test("requests that were told to start before an address allowed fewer at once wait for those under way", async () => {
  const { clock, hold } = holding(1_000, false, 4);
  let started = 0;
  for (let i = 0; i < 4; i++) void hold.mayStart().then((isFree) => started += isFree ? 1 : 0);
  await clock.settle();
  assert.equal(started, 1);
  // While its connection is awaited the address' owner answers.
  hold.limitParallel(2);
  hold.pace.sent(clock.monotonicMs());
  await clock.advance(1_000);
  assert.equal(started, 2);
  hold.pace.sent(clock.monotonicMs());
  await clock.advance(20_000);
  assert.equal(started, 2, "two are under way");
  hold.pace.responded(clock.monotonicMs(), 0);
  await clock.settle();
  assert.equal(started, 2, "the gap");
  await clock.advance(1_000);
  assert.equal(started, 3);
});

test("local trouble of one request doesn't keep the others of its lease waiting for its end", async () => {
  const { clock, hold } = holding(1_000, false, 1);
  const parts = {
    clock,
    settings: { fetchLimits: {} },
    fetcher: { fetch: () => Promise.reject(new Error("no handles")) },
  };
  const target = {
    target_id: "t",
    url: "http://a.example/",
    kind: "page",
    depth: 0,
    hop: 0,
    not_before_in_ms: 0,
  } as const;
  const what = { url: target.url, target, isHop: false };
  let next: boolean | undefined;
  const trouble = ask(hold, parts as unknown as EdgeParts, what);
  void hold.mayStart().then((isFree) => next = isFree);
  await assert.rejects(trouble, /no handles/);
  await clock.advance(1_000);
  assert.equal(next, true);
});

test("nothing is started while this machine is unwell, not even what a redirect goes on with", async () => {
  const { hold, health } = holding(0);
  assert.ok(await hold.mayStart());
  health.machineFailed("The disk is full.");
  assert.deepEqual([hold.over, await hold.mayStart(), await hold.mayGoOn(), await hold.stands()], [
    true,
    false,
    false,
    false,
  ]);
});

test("while the archive is waited for the host is freed with the time of its last request, and the lease is kept", async () => {
  for (const isPaused of [false, true]) {
    const { clock, hold, extensions, freed, way } = holding(1_000, isPaused);
    await hold.freeHost();
    assert.deepEqual(freed, [], "nothing was asked of the host");
    await first({ clock, hold } as ReturnType<typeof holding>);
    await clock.advance(4_000);
    await hold.freeHost();
    assert.deepEqual(freed.map(({ last_start_ago_ms, gap_ms }) => [last_start_ago_ms, gap_ms]), [[4_000, 1_000]]);
    const durable = new AbortController();
    let isOver = false;
    const begun = clock.monotonicMs();
    void hold.keepUntil(durable.signal).then(() => isOver = true);
    // A way that fails for a while costs nothing: it is asked again, in time.
    await clock.advance(40_000);
    way.isDown = true;
    await clock.advance(40_000);
    way.isDown = false;
    await clock.advance(400_000);
    const steps = extensions.map((at, i) => at - (extensions[i - 1] ?? begun));
    assert.ok(extensions.length >= 6 && Math.max(...steps) < LEASE_MS / 2 + 1_000, `extended after ${steps} ms`);
    assert.equal(isOver, false);
    durable.abort();
    await clock.advance(0);
    assert.equal(isOver, true);
  }
});
