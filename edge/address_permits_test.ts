import assert from "node:assert/strict";
import type { AddressPermitReply, AddressPermitRequest, FrontierVerbs, Lease, PermitReturn } from "../protocol/mod.ts";
import { silentLog } from "../tests/support/frontier.ts";
import { test } from "../tests/support/test.ts";
import { VirtualClock } from "../tests/support/virtual_clock.ts";
import { Health } from "./health/health.ts";
import { LeaseHold } from "./lease_hold.ts";
import type { EdgeParts } from "./parts.ts";
import type { NetworkProbe } from "./ports.ts";
import { Stopwatch } from "./stopwatch.ts";

const GRANTED: AddressPermitReply = { granted: true, gap_ms: 1_000, max_parallel: 1, expires_in_ms: 90_000 };

/** A lease whose edge may ask the address' owner; `answerMs` is how long that takes. */
function holding(answerMs = 0) {
  const clock = new VirtualClock();
  const asked: AddressPermitRequest[] = [];
  const returned: PermitReturn[] = [];
  const frontier = {
    async permitAddress(request: AddressPermitRequest) {
      asked.push(request);
      await clock.sleep(answerMs);
      return GRANTED;
    },
    returnPermits(request: PermitReturn) {
      returned.push(request);
      return Promise.resolve();
    },
  } as unknown as FrontierVerbs;
  const settings = { workerId: "w", confirmMs: 5_000, fetchLimits: { wallMs: 30_000 } };
  const health = new Health({ clock, log: silentLog, probe: {} as NetworkProbe, onTrouble: () => {} });
  const parts = { clock, frontier, log: silentLog, settings, health } as unknown as EdgeParts;
  const crawl = { user_agent: "outrider", polite: true };
  const lease = { lease_id: "l", crawl, expires_in_ms: 90_000, gap_ms: 1_000, max_parallel: 1 } as Lease;
  const hold = new LeaseHold(lease, parts, Stopwatch.start(clock), new AbortController().signal);
  return { clock, hold, asked, returned };
}

test("permits: addresses that are counted together are asked for once, and given back by one of them", async () => {
  const { hold, asked, returned } = holding();
  const network = ["2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8::4", "2001:db8::5"];
  for (const address of [...network, "192.0.2.1", "::ffff:192.0.2.1"]) assert.ok(await hold.addresses.admit(address));
  await hold.addresses.giveBack();
  const firsts = ["2001:db8::1", "192.0.2.1"];
  assert.deepEqual([asked.map(({ address }) => address), returned.map(({ addresses }) => addresses)], [firsts, [
    firsts,
  ]]);
});

test("permits: one that comes after its request was given up is given back too", async () => {
  const { clock, hold, returned } = holding(40_000);
  void hold.addresses.admit("192.0.2.1");
  await clock.advance(30_000);
  void hold.addresses.giveBack();
  await clock.advance(10_000);
  assert.deepEqual(returned.map(({ addresses }) => addresses), [["192.0.2.1"]]);
});

test("permits: one is asked for anew when a fetch could outlast it", async () => {
  const { clock, hold, asked } = holding();
  assert.ok(await hold.addresses.admit("192.0.2.1"));
  await clock.advance(60_000);
  assert.equal(hold.addresses.admit("192.0.2.1"), true);
  await clock.advance(1);
  assert.ok(await hold.addresses.admit("192.0.2.1"));
  assert.equal(asked.length, 2);
});
