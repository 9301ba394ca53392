import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { VirtualClock } from "../../tests/support/virtual_clock.ts";
import { AddressRace } from "./address_race.ts";
import type { Trouble } from "./failures.ts";
import { FetchTask } from "./fetch_task.ts";
import { interleaved } from "./socket_opener.ts";

const LIMITS = { connectMs: 9000, idleMs: 9000, wallMs: 9000, headerBytes: 1, wireBytes: 1, decodedBytes: 1 };

type Settle = (result: { name: string } | Trouble) => void;

/** A race over these addresses whose attempts end as the test says. */
function race(addresses: string[], admitAddress?: (address: string) => Promise<boolean>) {
  const clock = new VirtualClock();
  const from = clock.monotonicMs();
  const task = new FetchTask({ limits: LIMITS, ...(admitAddress && { admitAddress }) }, from);
  const started: string[] = [];
  const cancelled: string[] = [];
  const settles = new Map<string, Settle>();
  const run = new AddressRace<{ name: string }>({
    task,
    clock,
    origin: "http://a.example",
    addresses,
    start: (address) => {
      started.push(`${address} ${clock.monotonicMs() - from}`);
      const settled = new Promise<{ name: string } | Trouble>((resolve) => settles.set(address, resolve));
      return { settled, cancel: () => void cancelled.push(address) };
    },
  }).run();
  return {
    clock,
    task,
    run,
    started,
    cancelled,
    stands: (address: string) => settles.get(address)!({ name: address }),
    fails: (address: string, failure: Trouble["failure"] = "connect_refused") =>
      settles.get(address)!({ failure, detail: address, sent: true }),
  };
}

test("addresses: first of each family in turn", () => {
  const mixed = ["192.0.2.1", "192.0.2.2", "2001:db8::1"];
  assert.deepEqual(interleaved(mixed, true), ["2001:db8::1", "192.0.2.1", "192.0.2.2"]);
  assert.deepEqual(interleaved(mixed, false), ["192.0.2.1", "2001:db8::1", "192.0.2.2"]);
});

test("race: the second address begins 250 ms after the first, and the first that stands is used", async () => {
  const { clock, run, started, cancelled, stands } = race(["a", "b", "c"]);
  await clock.advance(249);
  assert.deepEqual(started, ["a 0"]);
  await clock.advance(10);
  assert.deepEqual(started, ["a 0", "b 250"]);
  stands("b");
  assert.deepEqual([await run, cancelled], [{ name: "b" }, ["a"]]);
});

test("race: an address that was slow may still win", async () => {
  const { clock, run, cancelled, stands } = race(["a", "b"]);
  await clock.advance(300);
  stands("a");
  assert.deepEqual([await run, cancelled], [{ name: "a" }, ["b"]]);
});

test("race: a failure gives way at once, and the last one is told when all have failed", async () => {
  const { clock, run, started, fails } = race(["a", "b"]);
  await clock.settle();
  fails("a");
  await clock.settle();
  assert.deepEqual(started, ["a 0", "b 0"]);
  fails("b", "connect_reset");
  const lost = await run;
  assert.ok("failure" in lost && lost.failure === "connect_reset" && lost.detail === "b");
});

test("race: a failed handshake is the host's, and ends it", async () => {
  const { clock, run, started, fails } = race(["a", "b"]);
  await clock.settle();
  fails("a", "tls");
  const lost = await run;
  assert.ok("failure" in lost && lost.failure === "tls");
  assert.equal(started.length, 1);
});

test("race: a fetch that ends leaves no connection behind", async () => {
  const { clock, task, run, cancelled } = race(["a", "b"]);
  await clock.advance(300);
  task.end("connect_timeout");
  const lost = await run;
  assert.ok("failure" in lost && lost.failure === "connect_timeout" && lost.remoteAddress === "b");
  assert.deepEqual(cancelled, ["a", "b"]);
});

test("race: nothing goes to an address before its permit; without one the others are tried", async () => {
  const asked: string[] = [];
  const { clock, run, started, stands } = race(["a", "b", "c"], (address) => {
    asked.push(address);
    return Promise.resolve(address !== "b");
  });
  await clock.advance(300);
  assert.deepEqual([asked, started], [["a", "b", "c"], ["a 0", "c 250"]]);
  stands("c");
  assert.deepEqual(await run, { name: "c" });
  const refused = race(["a", "b"], () => Promise.resolve(false));
  const lost = await refused.run;
  assert.ok("failure" in lost && lost.failure === "aborted" && !lost.sent);
});
