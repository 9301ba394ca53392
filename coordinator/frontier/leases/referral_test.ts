import assert from "node:assert/strict";
import {
  type AddressPermitRequest,
  type Hop,
  type Lease,
  LIMITS,
  type PermitRequest,
  type Referral,
} from "../../../protocol/mod.ts";
import { hmacSigner } from "../../../runtime/node.ts";
import { ask, complete, fetched, robots, spec, testSigner } from "../../../tests/support/frontier.ts";
import { test } from "../../../tests/support/test.ts";
import {
  addressesOf,
  createAtBoth,
  domainsOf,
  leaseOf,
  type Pair,
  slotOfName,
  startPair,
} from "../../../tests/support/two_coordinators.ts";
import { NotOwned } from "../../owner_ports.ts";

/** Two leases of the first coordinator; hosts and addresses of the second are asked for under them. */
async function withLeases(
  body: (pair: Pair, leases: readonly [Lease, Lease], foreign: readonly string[]) => Promise<void>,
): Promise<void> {
  const pair = await startPair();
  try {
    const own = await domainsOf(0, 2);
    const foreign = await domainsOf(1, 3);
    await createAtBoth(pair, spec(own.map((host) => `https://${host}/`)));
    const { leases } = await ask(pair.coordinators[0]);
    const of = (host: string) => leases.find((lease) => lease.host === host)!;
    await body(pair, [of(own[0]!), of(own[1]!)], foreign);
  } finally {
    await pair.close();
  }
}

function addressRequest(lease: Lease, address: string, referral: Partial<Referral> = {}): AddressPermitRequest {
  const { lease_id, epoch, slot, gap_ms, max_parallel } = lease;
  return { worker_id: "w1", lease_id, epoch, slot, address, gap_ms, max_parallel, ...referral };
}

function visitRequest(lease: Lease, host: string, referral: Partial<Referral> = {}): PermitRequest {
  const { lease_id, epoch, slot } = lease;
  return { worker_id: "w1", lease_id, epoch, slot, host, domain: "forged.example", ...referral };
}

test("referral: an address of another coordinator is permitted there, on the word of the lease's coordinator", () =>
  withLeases(async ({ coordinators: [home, owner] }, [lease]) => {
    const [address] = await addressesOf(1, 1);
    const referred = await home.permitAddress(addressRequest(lease, address!));
    assert.equal(referred.granted, false);
    const { referral } = referred;
    assert.equal(referral!.slot, await slotOfName(address!));
    const granted = await owner.permitAddress(addressRequest(lease, address!, referral));
    assert.deepEqual([granted.granted, granted.gap_ms, granted.expires_in_ms], [true, 1_000, LIMITS.leaseMs]);
    const again = await owner.permitAddress(addressRequest(lease, address!, referral));
    assert.ok(again.granted, "a reply was lost, so it is asked again");
    await owner.returnPermits({
      worker_id: "w1",
      lease_id: lease.lease_id,
      slot: referral!.slot,
      addresses: [address!],
    });
  }));

test("referral: who has the lease alone, without a word of its coordinator, gets nothing of another", () =>
  withLeases(async ({ coordinators: [, owner] }, [lease], [host]) => {
    const [address] = await addressesOf(1, 1);
    await assert.rejects(async () => await owner.permitAddress(addressRequest(lease, address!)), NotOwned);
    await assert.rejects(async () => await owner.permit(visitRequest(lease, host!)), NotOwned);
    const slot = await slotOfName(host!);
    assert.equal((await owner.permit({ ...visitRequest(lease, host!), slot })).granted, false, "it has no such lease");
  }));

test("referral: forged, altered, for another lease, worker, address, host or slot, or of another kind: not believed", () =>
  withLeases(async ({ coordinators: [home, owner] }, [lease, other], [host, otherHost]) => {
    const [address, otherAddress] = await addressesOf(1, 2);
    const { referral } = await home.permitAddress(addressRequest(lease, address!));
    const visit = (await home.permit(visitRequest(lease, host!))).referral!;
    const { slot, ticket } = referral!;
    const text = ticket.slice(64);
    const faster = text.replace('"gapMs":1000', '"gapMs":0');
    assert.notEqual(faster, text);
    const asked = async (request: AddressPermitRequest) => (await owner.permitAddress(request)).granted;
    const forged: Record<string, AddressPermitRequest> = {
      "another lease": addressRequest(other, address!, referral),
      "another worker": { ...addressRequest(lease, address!, referral), worker_id: "w2" },
      "another address": addressRequest(lease, otherAddress!, referral),
      "another slot": addressRequest(lease, address!, { ticket, slot: visit.slot }),
      "another kind": addressRequest(lease, address!, { ticket: visit.ticket, slot }),
      "altered": addressRequest(lease, address!, { slot, ticket: ticket.slice(0, 64) + faster }),
      "unsigned": addressRequest(lease, address!, { slot, ticket: "0".repeat(64) + text }),
      "signed with another secret": addressRequest(lease, address!, {
        slot,
        ticket: hmacSigner("aa".repeat(32)).sign(text) + text,
      }),
      "empty": addressRequest(lease, address!, { slot, ticket: "" }),
    };
    for (const [what, request] of Object.entries(forged)) assert.equal(await asked(request), false, what);
    assert.equal((await owner.permit(visitRequest(lease, otherHost!, visit))).granted, false, "another host");
    assert.equal((await owner.permit(visitRequest(other, host!, visit))).granted, false, "another lease's visit");
    assert.equal(testSigner.sign(text) + text, ticket, "the secret is all that a forger lacks");
    assert.ok(await asked(addressRequest(lease, address!, referral)));
  }));

test("referral: counts for a while, by clocks that may differ by a minute, and then no more", () =>
  withLeases(async ({ world, coordinators: [home, owner] }, [lease]) => {
    const [address] = await addressesOf(1, 1);
    const { referral } = await home.permitAddress(addressRequest(lease, address!));
    await world.clock.advance(LIMITS.referralMs + LIMITS.clockSkewMs);
    assert.ok((await owner.permitAddress(addressRequest(lease, address!, referral))).granted);
    await world.clock.advance(1);
    assert.equal((await owner.permitAddress(addressRequest(lease, address!, referral))).granted, false);
  }));

test("referral: from a clock that is more than a minute ahead isn't taken: it would count for too long", () =>
  withLeases(async ({ world, coordinators: [home, owner] }, [lease]) => {
    const [address] = await addressesOf(1, 1);
    const { referral } = await home.permitAddress(addressRequest(lease, address!));
    const wallMs = world.clock.wallMs.bind(world.clock);
    world.clock.wallMs = () => wallMs() - LIMITS.clockSkewMs - 1;
    assert.equal((await owner.permitAddress(addressRequest(lease, address!, referral))).granted, false);
  }));

test("referral: a visit on another coordinator's host is granted once for each word, and its host's clock moves", () =>
  withLeases(async ({ world, coordinators: [home, owner] }, [lease, other], [host]) => {
    const { referral } = await home.permit(visitRequest(lease, host!));
    const first = await owner.permit(visitRequest(lease, host!, referral));
    assert.deepEqual([first.granted, first.wait_ms], [true, 0]);
    const rival = (await home.permit(visitRequest(other, host!))).referral!;
    assert.equal((await owner.permit(visitRequest(other, host!, rival))).granted, false, "one may be under way");
    await world.clock.advance(5_000);
    assert.equal((await owner.permit(visitRequest(lease, host!, referral))).granted, false, "the word is used up");
    const [next] = [await home.permit(visitRequest(lease, host!))];
    assert.ok((await owner.permit(visitRequest(lease, host!, next!.referral))).granted);
  }));

test("referral: of two requests at once with one word one visit is granted", () =>
  withLeases(async ({ coordinators: [home, owner] }, [lease], [host]) => {
    const { referral } = await home.permit(visitRequest(lease, host!));
    const asked = [1, 2].map(() => owner.permit(visitRequest(lease, host!, referral)));
    assert.deepEqual((await Promise.all(asked)).map(({ granted }) => granted), [true, false]);
  }));

test("referral: one lease is referred to a bounded number of hosts", () =>
  withLeases(async ({ coordinators: [home] }, [lease]) => {
    let referred = 0;
    for (const host of await domainsOf(1, 2 * LIMITS.permitsPerLease)) {
      if ((await home.permit(visitRequest(lease, host))).referral !== undefined) referred++;
    }
    assert.equal(referred, LIMITS.permitsPerLease);
  }));

const hopTo = (host: string): Hop => ({
  url: "https://a.example/robots.txt",
  http_code: 302,
  location: `https://${host}/r.txt`,
  capture: fetched({ target_id: "" } as Parameters<typeof fetched>[0]).capture,
});

test("referral: what became of a visit is carried to the host's coordinator, believed once, and by hearsay never", () =>
  withLeases(async ({ coordinators: [home, owner] }, [lease], [host, unvisited]) => {
    const { referral } = await home.permit(visitRequest(lease, host!));
    await owner.permit(visitRequest(lease, host!, referral));
    const busy = { class: "unreachable", http_code: 503, failure: "http_503" } as const;
    const told = robots(lease.targets[0]!, { hops: [hopTo(unvisited!), hopTo(host!)], ...busy });
    const reply = await complete(home, lease, [told]);
    assert.equal(reply.status, "ok");
    const [word, ...more] = reply.referrals!;
    assert.deepEqual(
      [word!.slot, more],
      [await slotOfName(host!), []],
      "a host that it wasn't referred to isn't told of",
    );
    const waitMs = () => owner.hostView(host!)!.clocks.nextStartInMs;
    const before = waitMs();
    await owner.visited({ worker_id: "w2", ...word! });
    assert.equal(waitMs(), before, "another worker's word");
    for (let i = 0; i < 3; i++) await owner.visited({ worker_id: "w1", ...word! });
    assert.equal(waitMs(), LIMITS.backoffMs, "said three times, it is one failure");
    await owner.visited({ worker_id: "w1", slot: word!.slot, ticket: referral!.ticket });
    assert.equal(waitMs(), LIMITS.backoffMs, "a word of another kind");
  }));

test("referral: a lease that is over, or none, is referred nowhere", () =>
  withLeases(async ({ coordinators: [home] }, [lease], [host]) => {
    const [address] = await addressesOf(1, 1);
    await complete(home, lease, []);
    assert.equal((await home.permitAddress(addressRequest(lease, address!))).referral, undefined);
    assert.equal((await home.permit(visitRequest(lease, host!))).referral, undefined);
  }));

test("address of another coordinator: hosts that are turned away wait longer and longer, and are asked for again", async () => {
  const pair = await startPair();
  const [home] = pair.coordinators;
  const [host] = await domainsOf(0, 1);
  const [address] = await addressesOf(1, 1);
  await createAtBoth(pair, spec([`https://${host}/`]));
  const waits: number[] = [];
  for (let i = 0; i < 8; i++) {
    const lease = await leaseOf(home, host!);
    await home.permitAddress(addressRequest(lease, address!));
    await complete(home, lease, []);
    waits.push(home.hostView(host!)!.clocks.nextStartInMs);
    await pair.world.clock.advance(waits.at(-1)!);
  }
  assert.ok(waits.every((ms) => ms >= 1_000 && ms <= 16_000), waits.join());
  assert.ok(Math.max(...waits.slice(4)) > 4_000, waits.join());
  await complete(home, await leaseOf(home, host!), [
    robots({ target_id: `robots:https://${host}` } as Lease["targets"][0]),
  ]);
  await pair.world.clock.advance(5_000);
  const lease = await leaseOf(home, host!);
  await home.permitAddress(addressRequest(lease, address!));
  await complete(home, lease, []);
  assert.ok(home.hostView(host!)!.clocks.nextStartInMs <= 2_000, "it was asked in between");
  await pair.close();
});
