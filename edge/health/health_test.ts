import assert from "node:assert/strict";
import type { FailureClass } from "../../protocol/mod.ts";
import { silentLog } from "../../tests/support/frontier.ts";
import { test } from "../../tests/support/test.ts";
import { VirtualClock } from "../../tests/support/virtual_clock.ts";
import type { Exchange, FetchFailure, NetworkProbe } from "../ports.ts";
import { Health, type LocalTrouble } from "./health.ts";

/** Of a request that started at `startedAt`; by default not long ago. */
function failure(name: FailureClass, unanswered = false, startedAt = Infinity): FetchFailure {
  const timings = { startedAt, totalMs: 1 };
  return { ok: false, failure: name, detail: `It ended with ${name}.`, sent: true, unanswered, timings };
}

function answer(host: string, address: string): Exchange {
  return { ok: true, url: `http://${host}:8080/`, remoteAddress: address } as unknown as Exchange;
}

/** A machine whose link and resolver are broken on demand. */
function machine() {
  const clock = new VirtualClock();
  const net = { link: true, resolver: true, cache: true, store: "", resolvedAt: -Infinity };
  const asked: string[] = [];
  const troubles: LocalTrouble[] = [];
  const probe: NetworkProbe = {
    resolvedAt: () => net.resolvedAt,
    connects: (address, port) => {
      asked.push(`${address}:${port}`);
      return Promise.resolve(net.link);
    },
    resolves: () => Promise.resolve(net.resolver),
    knows: () => Promise.resolve(net.cache),
  };
  const health = new Health({
    clock,
    log: silentLog,
    probe,
    probeStore: () => net.store === "" ? Promise.resolve() : Promise.reject(new Error(net.store)),
    onTrouble: (trouble) => troubles.push(trouble),
  });
  const answered = (...hosts: string[]) => {
    for (const [i, host] of hosts.entries()) health.judge(host, answer(host, `198.51.${100 + i}.1`));
  };
  /** The verdict, with as much time as it takes. */
  const judged = async (host: string, failed: FetchFailure) => {
    const verdict = health.judge(host, failed) as Promise<boolean>;
    await clock.advance(600);
    return await verdict;
  };
  /** Checks for `ms`, as the worker does. */
  const wait = async (ms: number) => {
    for (const end = clock.monotonicMs() + ms; clock.monotonicMs() < end && health.isUnwell;) {
      await clock.advance(Math.max(1, await health.check()));
    }
  };
  return { clock, net, asked, troubles, health, answered, judged, wait };
}

const LINK = ["connect_refused", "connect_timeout", "connect_reset", "read_timeout", "wall_timeout"] as const;

test("health: when nothing that answered before can be reached, no failure is the host's, and it ends by itself", async () => {
  for (const name of LINK) {
    const { net, health, answered, judged, wait, troubles, asked } = machine();
    answered("a.test", "b.test", "c.test", "d.test");
    net.link = false;
    assert.equal(await judged("d.test", failure(name)), true, name);
    assert.deepEqual([health.isUnwell, troubles[0]!.part, troubles[0]!.forMs], [true, "link", 0]);
    assert.match(health.sentence, /^Nothing can be reached: 4 hosts fail at once/);
    assert.deepEqual(asked, ["198.51.100.1:8080", "198.51.101.1:8080", "198.51.102.1:8080"]);
    assert.equal(await judged("new.test", failure("dns", true)), true, "and names that aren't answered go with it");
    await wait(3_600_000 / 2);
    assert.equal(health.isUnwell, false, "the resolver answers: after a while the hosts are blamed");
    const well = machine();
    well.answered("a.test", "b.test", "c.test");
    Object.assign(well.net, { link: false, resolver: false });
    assert.equal(await well.judged("x.test", failure(name)), true);
    await well.wait(24 * 3_600_000);
    assert.equal(well.health.isUnwell, true, "and without any sign of life it is waited for ever");
    const gaps = well.troubles.slice(1).map(({ forMs }, i) => forMs - well.troubles[i]!.forMs);
    assert.ok(Math.max(...gaps) <= 31_000 && gaps[0]! < 1_000, "rarer and rarer, up to half a minute");
    well.net.link = true;
    await well.wait(40_000);
    assert.equal(well.health.isUnwell, false);
  }
});

test("health: a host that fails while another answers, or can be reached, is to blame", async () => {
  const { clock, health, answered, judged, asked } = machine();
  answered("a.test", "b.test", "c.test");
  const verdict = health.judge("dead.test", failure("connect_timeout")) as Promise<boolean>;
  await clock.advance(60);
  answered("a.test");
  await clock.advance(100);
  assert.deepEqual([await verdict, asked], [false, []], "an answer came by itself: nobody was asked");
  assert.equal(await judged("dead.test", failure("connect_refused")), false);
  assert.equal(asked.length, 3);
  assert.equal(health.isUnwell, false);
});

test("health: hosts that all take connections and close them without a word are to blame, so that no crawl stands still", async () => {
  for (const name of LINK) {
    const { net, health, answered, judged, troubles } = machine();
    answered("a.test", "b.test", "c.test");
    for (const host of ["a.test", "b.test", "c.test", "a.test", "b.test"]) {
      assert.equal(await judged(host, failure(name)), false, `${name} of ${host}`);
    }
    assert.deepEqual([health.isUnwell, troubles], [false, []]);
    net.link = false;
    assert.equal(await judged("c.test", failure(name)), true, "nor can they be reached: it is this machine");
  }
});

test("E70: dead hosts alone, or one of two that died, are no trouble of this machine's", async () => {
  const { net, judged } = machine();
  net.link = false;
  for (const host of ["a.test", "b.test", "c.test", "d.test"]) {
    assert.equal(await judged(host, failure("connect_timeout")), false, "nothing ever answered");
  }
  const one = machine();
  one.answered("a.test");
  one.net.link = one.net.resolver = false;
  assert.equal(await one.judged("a.test", failure("connect_refused")), false, "one host");
  const two = machine();
  two.answered("a.test", "b.test");
  two.net.link = two.net.resolver = false;
  assert.equal(await two.judged("b.test", failure("connect_refused")), false, "two hosts");
});

test("health: in a crawl of one host a resolver that fell silent tells a lost link from a dead host", async () => {
  for (const name of ["connect_timeout", "dns"] as const) {
    const { clock, net, health, answered, judged, wait, troubles } = machine();
    answered("a.test");
    net.resolvedAt = clock.monotonicMs();
    net.link = false;
    assert.equal(await judged("a.test", failure(name, true)), false, "the resolver answers: the host is dead");
    net.resolver = net.cache = false;
    assert.equal(await judged("a.test", failure(name, true)), true);
    assert.deepEqual([health.isUnwell, troubles[0]!.part], [true, "resolver"]);
    net.resolver = true;
    await wait(40_000);
    assert.equal(health.isUnwell, false);
  }
});

test("health: a resolver that answers no more is told from names that don't exist, and from one that never did", async () => {
  const { clock, net, health, answered, judged, wait, troubles } = machine();
  answered("a.test", "b.test");
  net.resolver = net.cache = false;
  assert.equal(await judged("new.test", failure("dns", true)), false, "it never answered, and one name fails");
  net.resolvedAt = clock.monotonicMs();
  assert.equal(await judged("gone.test", failure("dns")), false, "a resolver said so");
  assert.equal(await judged("new.test", failure("dns", true)), true);
  assert.deepEqual([health.isUnwell, troubles[0]!.part], [true, "resolver"]);
  assert.deepEqual([troubles.length, troubles[0]!.hasWorked], [1, true]);
  await wait(24 * 3_600_000);
  assert.equal(health.isUnwell, true);
  net.resolver = true;
  await wait(40_000);
  assert.equal(health.isUnwell, false);
  net.resolver = false;
  net.cache = true;
  assert.equal(await judged("new.test", failure("dns", true)), true);
  await wait(1_000_000);
  assert.equal(health.isUnwell, false, "a resolver that knows the hosts, and no others, may be all that there is");
  assert.equal(await judged("new.test", failure("dns", true)), false, "so names are to blame again");
});

test("health: what was begun during an outage is no host's failure, though it ends after it", async () => {
  const { clock, net, health, answered, judged, wait } = machine();
  answered("a.test", "b.test", "c.test");
  net.link = false;
  const startedAt = clock.monotonicMs();
  assert.equal(await judged("a.test", failure("connect_refused")), true);
  net.link = true;
  await wait(40_000);
  assert.equal(health.isUnwell, false);
  assert.equal(await judged("b.test", failure("connect_timeout", false, startedAt)), true);
  assert.equal(await judged("b.test", failure("connect_timeout", false, clock.monotonicMs())), false);
});

test("health: failures of one moment share one probe, and one verdict", async () => {
  const { clock, net, health, answered, asked, troubles } = machine();
  const hosts = Array.from({ length: 20 }, (_, i) => `h${i}.test`);
  answered(...hosts);
  net.link = false;
  const verdicts = Promise.all(hosts.map((host) => health.judge(host, failure("connect_refused"))));
  await clock.advance(5_000);
  assert.deepEqual(new Set(await verdicts), new Set([true]));
  assert.deepEqual([asked.length <= 3, troubles.length], [true, 1]);
  answered("h0.test");
  assert.equal(health.isUnwell, false, "an answer ends it at once");
});

test("health: a store that can't be written is asked again, and says why", async () => {
  const { net, health, wait, troubles } = machine();
  net.store = "The disk is full.";
  health.machineFailed("Archiving failed.");
  health.machineFailed("Archiving failed again.");
  await wait(10_000);
  assert.deepEqual(
    troubles.map(({ part, sentence }) => [part, sentence]).slice(0, 3),
    [["machine", "Archiving failed."], ["machine", "The disk is full."], ["machine", "The disk is full."]],
  );
  assert.equal(health.isUnwell, true);
  net.store = "";
  await wait(40_000);
  assert.equal(health.isUnwell, false);
});
