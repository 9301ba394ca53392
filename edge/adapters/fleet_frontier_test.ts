import assert from "node:assert/strict";
import { type LeaseRequest, LIMITS, SLOT_COUNT } from "../../protocol/mod.ts";
import { leaseNamed, leaseReply, mapOf, misdirected, ok, ScriptedFleet } from "../../tests/support/scripted_fleet.ts";
import { test } from "../../tests/support/test.ts";

const A = "http://a.test/";
const B = "http://b.test/";
const C = "http://c.test/";
/** A slot of each of two shards. */
const [OF_A, OF_B] = [0, SLOT_COUNT - 1];
const BOTH = mapOf([A, 1], [B, 1]);

const wish = (max_leases = 8): LeaseRequest => ({
  worker_id: "w",
  region: "here",
  max: 100,
  max_leases,
  holding: 0,
});
const fence = (slot: number) => ({ worker_id: "w", lease_id: "l", epoch: 1, slot });
const completion = (slot: number) => ({ ...fence(slot), outcomes: [], done: true });
const extended = ok({ status: "ok", expires_in_ms: 90_000, stop: false });
const completed = ok({ status: "ok", accepted: 0 });

/** Answers every verb, leases with nothing. */
function willing(fleet: ScriptedFleet, base: string, map = BOTH): void {
  fleet.at(base, ({ verb }) => {
    if (verb === "map") return ok({ slot_map: map });
    if (verb === "lease") return leaseReply(map, []);
    return verb === "complete" ? completed : extended;
  });
}

async function until<T>(fleet: ScriptedFleet, work: Promise<T>, mostMs = 60_000): Promise<T> {
  let isOver = false;
  const end = () => void (isOver = true);
  work.then(end, end);
  for (let ms = 0; !isOver && ms < mostMs; ms += 50) await fleet.clock.advance(50);
  assert.ok(isOver, `not answered within ${mostMs} ms`);
  return await work;
}

test("fleet: one coordinator alone is asked what it always was, and nothing else", async () => {
  const fleet = new ScriptedFleet();
  fleet.at(
    A,
    ({ verb }) => verb === "lease" ? leaseReply({ version: 1, shards: 2, runs: [[0, 0], [2048, 1]] }, []) : ok(),
  );
  const frontier = fleet.frontier(A);
  for (let i = 0; i < 3; i++) assert.equal((await frontier.lease(wish())).retry_after_ms, 5_000);
  const rows = [OF_A, OF_B].map((slot, seq) => ({ slot, crawl_id: "c", lease_id: "l", seq, links: [] }));
  await frontier.deliverOutbox({ worker_id: "w", rows });
  await frontier.ackOutbox({ worker_id: "w", rows: rows.map(({ seq }) => ({ lease_id: "l", seq, from_shard: seq })) });
  await frontier.release({ worker_id: "w", leases: [fence(OF_A), fence(OF_B)], reason: "" });
  assert.deepEqual(fleet.counts(), {
    [`${A} lease`]: 3,
    [`${A} outbox`]: 1,
    [`${A} outbox_ack`]: 1,
    [`${A} release`]: 1,
  });
  await until(fleet, frontier.close());
});

test("fleet: leases are asked for in turn until the wish is met, and the replies are one", async () => {
  const fleet = new ScriptedFleet();
  const rowsOf = (from_shard: number) => [{ slot: 1, from_shard, crawl_id: "c", lease_id: "o", seq: 1, links: [] }];
  fleet.at(
    A,
    ({ request }) =>
      leaseReply(BOTH, [leaseNamed("a1", OF_A), leaseNamed("a2", OF_A)].slice(0, Number(request.max_leases)), {
        retry_after_ms: 700,
        outbox: rowsOf(0),
      }),
  );
  fleet.at(B, () => leaseReply(BOTH, [leaseNamed("b1", OF_B)], { retry_after_ms: 300, outbox: rowsOf(1) }));
  const frontier = fleet.frontier(A);
  await frontier.lease({ ...wish(), max_leases: 0 });
  fleet.asked.length = 0;
  const replies = [await frontier.lease(wish(3)), await frontier.lease(wish(3))];
  for (const reply of replies) {
    assert.deepEqual(reply.leases.map(({ lease_id }) => lease_id).sort(), ["a1", "a2", "b1"]);
    assert.deepEqual(reply.outbox.map(({ from_shard }) => from_shard).sort(), [0, 1]);
    assert.deepEqual([reply.retry_after_ms, reply.reason, reply.slot_map], [300, "", BOTH]);
  }
  assert.notEqual(fleet.asked[0]!.base, fleet.asked[2]!.base, "another one begins each time");
  const second = fleet.asked[1]!.request;
  const had = fleet.asked[0]!.base === A ? 2 : 1;
  assert.deepEqual([second.max_leases, second.holding], [3 - had, had]);
  fleet.asked.length = 0;
  assert.equal((await frontier.lease(wish(1))).leases.length, 1);
  assert.equal(fleet.asked.length, 1, "the wish was met by the first");
  await until(fleet, frontier.close());
});

test("fleet: what belongs to a lease goes to the owner of its slot", async () => {
  const fleet = new ScriptedFleet();
  for (const base of [A, B]) willing(fleet, base);
  const frontier = fleet.frontier(A);
  await frontier.lease(wish());
  fleet.asked.length = 0;
  await frontier.complete(completion(OF_B));
  await frontier.extend(fence(OF_B));
  await frontier.robotsBody({ digest: "d", slot: OF_B });
  await frontier.captures({ storage_prefix: "w/", shard: 1, after_seq: 0, limit: 1 });
  await frontier.returnPermits({ worker_id: "w", lease_id: "l", slot: OF_B, addresses: [] });
  await frontier.visited({ worker_id: "w", slot: OF_B, ticket: "t" });
  assert.deepEqual([...new Set(fleet.asked.map(({ base }) => base))], [B]);
  fleet.asked.length = 0;
  await frontier.release({ worker_id: "w", leases: [fence(OF_A), fence(OF_B), fence(OF_A)], reason: "" });
  assert.deepEqual(fleet.counts(), { [`${A} release`]: 1, [`${B} release`]: 1 });
  await until(fleet, frontier.close());
});

test("fleet: who is asked in vain names the owner, who is asked at once", async () => {
  const fleet = new ScriptedFleet();
  const moved = mapOf([A, 1], [C, 2]);
  willing(fleet, A);
  willing(fleet, C, moved);
  fleet.at(B, ({ verb }) => verb === "lease" ? leaseReply(BOTH, []) : misdirected(moved));
  const frontier = fleet.frontier(A);
  await frontier.lease(wish());
  fleet.asked.length = 0;
  await frontier.complete(completion(OF_B));
  assert.deepEqual(fleet.asked.map(({ base }) => base), [B, C]);
  await frontier.extend(fence(OF_B));
  assert.equal(fleet.asked.at(-1)!.base, C, "that is remembered");
  await until(fleet, frontier.close());
});

test("fleet: coordinators that send each other's askers to and fro are asked ever more rarely, and not for ever", async () => {
  const fleet = new ScriptedFleet();
  let term = 1;
  for (const [base, other] of [[A, B], [B, A]] as const) {
    fleet.at(base, ({ verb }) => {
      if (verb === "lease") return leaseReply(BOTH, []);
      if (verb === "map") return ok({ slot_map: mapOf([other, ++term], [other, term]) });
      return misdirected(mapOf([other, ++term], [other, term]));
    });
  }
  const frontier = fleet.frontier(A, B);
  await frontier.lease(wish());
  fleet.asked.length = 0;
  const extend = frontier.extend(fence(OF_A));
  extend.catch(() => {});
  await fleet.clock.advance(1_000);
  assert.ok(fleet.asked.length <= 20, `${fleet.asked.length} requests in a second`);
  await assert.rejects(until(fleet, extend, 2 * LIMITS.leaseMs), /too late/);
  assert.ok(fleet.asked.length <= 60, `${fleet.asked.length} requests in the time of a lease`);
  await until(fleet, frontier.close());
});

test("fleet, E57: a completion is kept while its owner is between two coordinators, and the next one gets it", async () => {
  const fleet = new ScriptedFleet();
  for (const base of [A, B]) willing(fleet, base);
  const frontier = fleet.frontier(A, B);
  await frontier.lease(wish());
  fleet.at(B, () => "refused");
  const told = frontier.complete(completion(OF_B));
  await fleet.clock.advance(5 * 60_000);
  const takenOver = mapOf([A, 1], [A, 2]);
  willing(fleet, A, takenOver);
  assert.equal((await until(fleet, told)).status, "ok");
  const { base, verb } = fleet.asked.findLast((asked) => asked.verb === "complete")!;
  assert.deepEqual([base, verb], [A, "complete"]);
  assert.ok(fleet.counts()[`${B} complete`]! < 60, "it was tried with patience");
  await until(fleet, frontier.close());
});

test("fleet: a request under way to an owner that is one no more is given up at once", async () => {
  const fleet = new ScriptedFleet();
  willing(fleet, A);
  fleet.at(B, ({ verb }) => verb === "lease" ? leaseReply(BOTH, []) : "silence");
  const frontier = fleet.frontier(A, B);
  await frontier.lease(wish());
  const told = frontier.complete(completion(OF_B));
  await fleet.clock.advance(3_000);
  willing(fleet, A, mapOf([A, 1], [A, 2]));
  await frontier.lease(wish());
  assert.equal((await until(fleet, told, 1_000)).status, "ok");
  await until(fleet, frontier.close());
});

test("fleet: a silent coordinator holds up leases of others for a second, once", async () => {
  const fleet = new ScriptedFleet();
  fleet.at(A, () => leaseReply(BOTH, [leaseNamed("a", OF_A)]));
  fleet.at(B, () => leaseReply(BOTH, []));
  const frontier = fleet.frontier(A, B);
  await frontier.lease({ ...wish(), max_leases: 0 });
  fleet.at(B, () => "silence");
  const waits: number[] = [];
  for (let i = 0; i < 20; i++) {
    const before = fleet.clock.monotonicMs();
    const { leases, retry_after_ms } = await until(fleet, frontier.lease(wish(64)), 5_000);
    waits.push(fleet.clock.monotonicMs() - before);
    assert.equal(leases.length, 1);
    assert.ok(retry_after_ms > 0);
    await fleet.clock.advance(5_000);
  }
  assert.ok(Math.max(...waits) <= 1_100, waits.join());
  assert.equal(waits.filter((ms) => ms >= 500).length, 1, waits.join());
  const lastly = fleet.asked.filter(({ base }) => base === B).at(-1)!.request;
  assert.equal(lastly.max_leases, 1, "one is enough to know that it answers again");
  await until(fleet, frontier.close());
});

test("fleet: leases that come late are counted from when they were asked for, and confirmed before anything starts", async () => {
  const fleet = new ScriptedFleet();
  fleet.at(A, () => leaseReply(BOTH, []));
  fleet.at(B, () => leaseReply(BOTH, []));
  const frontier = fleet.frontier(A, B);
  await frontier.lease({ ...wish(), max_leases: 0 });
  fleet.at(B, async () => {
    await fleet.clock.sleep(10_000);
    return leaseReply(BOTH, [leaseNamed("late", OF_B)]);
  });
  let late = (await until(fleet, frontier.lease(wish()))).leases;
  const asked = fleet.asked.findLast(({ base }) => base === B)!.at;
  for (; late.length === 0; late = (await until(fleet, frontier.lease(wish()))).leases) {
    await fleet.clock.advance(4_000);
  }
  const agoMs = fleet.clock.monotonicMs() - asked;
  const [lease] = late;
  assert.ok(lease!.asked_ago_ms! >= 10_000 && lease!.asked_ago_ms! <= agoMs, `${lease!.asked_ago_ms}`);
  assert.equal(lease!.expires_in_ms, 90_000 - lease!.asked_ago_ms!);
  assert.equal(lease!.robots[0]!.expires_in_ms, 60_000 - lease!.asked_ago_ms!);
  assert.ok(lease!.first_start_in_ms < 3_000);
  await until(fleet, frontier.close());
});

test("fleet: never more leases than wished for: what comes late and has no room goes back", async () => {
  const fleet = new ScriptedFleet();
  const given = (most: unknown) => [leaseNamed("a", OF_A)].slice(0, Number(most));
  fleet.at(A, ({ verb, request }) => verb === "lease" ? leaseReply(BOTH, given(request.max_leases)) : ok());
  fleet.at(B, () => leaseReply(BOTH, []));
  const frontier = fleet.frontier(A, B);
  await frontier.lease({ ...wish(), max_leases: 0 });
  fleet.at(B, async ({ verb }) => {
    if (verb !== "lease") return ok();
    await fleet.clock.sleep(2_000);
    return leaseReply(BOTH, [leaseNamed("b1", OF_B), leaseNamed("b2", OF_B)]);
  });
  for (let i = 0; i < 2; i++) assert.ok((await until(fleet, frontier.lease(wish(2)))).leases.length <= 2);
  await fleet.clock.advance(4_000);
  assert.equal((await until(fleet, frontier.lease(wish(1)))).leases.length, 1);
  await fleet.clock.settle();
  const released = fleet.asked.filter(({ verb }) => verb === "release");
  assert.deepEqual(released.map(({ base }) => base), [B]);
  assert.equal((released[0]!.request.leases as unknown[]).length >= 1, true);
  await until(fleet, frontier.close());
});

test("fleet: leases that nobody took go back when the edge stops", async () => {
  const fleet = new ScriptedFleet();
  fleet.at(A, () => leaseReply(BOTH, []));
  fleet.at(B, () => leaseReply(BOTH, []));
  const frontier = fleet.frontier(A, B);
  await frontier.lease({ ...wish(), max_leases: 0 });
  fleet.at(B, async ({ verb }) => {
    if (verb === "lease") await fleet.clock.sleep(1_500);
    return verb === "lease" ? leaseReply(BOTH, [leaseNamed("b", OF_B)]) : ok();
  });
  await until(fleet, frontier.lease(wish()));
  fleet.stop();
  await until(fleet, frontier.close());
  assert.equal(fleet.counts()[`${B} release`], 1);
});

test("fleet: captures come from whoever can read the shard, when its owner doesn't answer", async () => {
  const fleet = new ScriptedFleet();
  for (const base of [A, B]) willing(fleet, base);
  const frontier = fleet.frontier(A, B);
  await frontier.lease(wish());
  fleet.at(B, () => "refused");
  fleet.at(A, ({ verb }) => verb === "map" ? ok({ slot_map: BOTH }) : ok({ rows: [], more: false }));
  const captures = frontier.captures({ storage_prefix: "w/", shard: 1, after_seq: 0, limit: 1 });
  assert.deepEqual(await until(fleet, captures), { rows: [], more: false });
  await until(fleet, frontier.close());
});

test("fleet: outbox rows for an owner that is down are given up before they are handed out again", async () => {
  const fleet = new ScriptedFleet();
  for (const base of [A, B]) willing(fleet, base);
  const frontier = fleet.frontier(A, B);
  await frontier.lease(wish());
  fleet.at(B, () => "silence");
  const before = fleet.clock.monotonicMs();
  const rows = [OF_A, OF_B].map((slot, seq) => ({ slot, crawl_id: "c", lease_id: "l", seq, links: [] }));
  await assert.rejects(until(fleet, frontier.deliverOutbox({ worker_id: "w", rows })));
  assert.ok(fleet.clock.monotonicMs() - before < 30_000);
  assert.equal(fleet.counts()[`${A} outbox`], 1, "the other owner got its own");
  await until(fleet, frontier.close());
});

test("fleet: a token that was meant for HTTPS isn't sent in the clear to a coordinator that another one names", async () => {
  const fleet = new ScriptedFleet();
  const safe = "https://a.test/";
  fleet.at(safe, ({ verb }) => verb === "lease" ? leaseReply(mapOf([safe, 1], ["http://b.test", 1]), []) : completed);
  willing(fleet, B);
  const frontier = fleet.frontier(safe);
  await frontier.lease(wish());
  void frontier.complete(completion(OF_B)).catch(() => {});
  await fleet.clock.advance(20_000);
  assert.deepEqual(fleet.asked.filter(({ base }) => base === B), []);
  assert.equal(fleet.warnings.filter((line) => line.includes("HTTPS")).length, 1);
  await until(fleet, frontier.close());
});

test("fleet: the first that is given may be down: the next one names all", async () => {
  const fleet = new ScriptedFleet();
  willing(fleet, B, mapOf([C, 1], [B, 1]));
  willing(fleet, C, mapOf([C, 1], [B, 1]));
  const frontier = fleet.frontier(A, B);
  const { slot_map } = await until(fleet, frontier.lease(wish()));
  assert.deepEqual(slot_map.owners?.map(({ url }) => url), [C, B]);
  await until(fleet, frontier.close());
});
