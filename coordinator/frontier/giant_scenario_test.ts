/** A registered domain with most of all URLs takes nobody's turn. */

import assert from "node:assert/strict";
import { answerAll, ask, newWorld, spec, start, testCore, type World } from "../../tests/support/frontier.ts";
import { test } from "../../tests/support/test.ts";
import type { Coordinator } from "../ports.ts";
import { evenSlotMap, LIMITS, shardOf, slotOf } from "../../protocol/mod.ts";

const HOSTS = Array.from({ length: 20 }, (_, i) => `h${i}.example`);
const PAGES = 20;
const STEP_MS = 100;
const SCOPE = { kind: "any", domains: [], include: [], exclude: [] } as const;

/** 600 URLs on `hosts` hosts of one registered domain: with the 400 of the others 60 % of all. */
function giant(hosts: number): string[] {
  return Array.from({ length: 600 }, (_, i) => `https://g${i % hosts}.giant.example/${Math.floor(i / hosts)}`);
}

/** When each host was leased, in ms since the start: one target a lease, `perStep` leases in each step. */
async function leaseTimes(world: World, coordinator: Coordinator, perStep: number): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>();
  const began = world.clock.wallMs();
  for (let at = 0; at < 240_000 / perStep; at += STEP_MS) {
    for (const lease of (await ask(coordinator, { max_leases: perStep })).leases) {
      times.set(lease.host, [...times.get(lease.host) ?? [], world.clock.wallMs() - began]);
      await answerAll(coordinator, lease);
    }
    await world.clock.advance(STEP_MS);
  }
  return times;
}

/**
 * With eight leases in each step there are enough for all, with one, ten a second, there aren't. A host waits for its
 * delay, and then no longer than it takes to serve every host once.
 */
const CASES = [[200, 8], [1, 1], [200, 1]] as const;

function longestWaitMs(hosts: number, perStep: number): number {
  const isEnough = perStep > 1;
  return 1_000 + (isEnough ? 2 * STEP_MS : (hosts + HOSTS.length) * STEP_MS);
}

test("a domain with 60 % of all URLs starves nobody, in either of two shards, with leases enough and without", async () => {
  const core = await testCore();
  const shardOfDomain = (domain: string) =>
    shardOf(evenSlotMap(2), slotOf(core.xxh64(new TextEncoder().encode(domain))));
  const beside = HOSTS.filter((host) => shardOfDomain(host) === shardOfDomain("giant.example"));
  assert.ok(beside.length > 4 && beside.length < HOSTS.length - 4, "the hosts must lie in both shards");
  const others = HOSTS.flatMap((host) => Array.from({ length: PAGES }, (_, i) => `https://${host}/${i}`));
  for (const [hosts, perStep] of CASES) {
    const mostMs = longestWaitMs(hosts, perStep);
    const world = newWorld(2);
    const coordinator = await start(world, { settings: { limits: { ...LIMITS, targetsPerLease: 1 } } });
    await coordinator.createCrawl("c", spec([...giant(hosts), ...others], { scope: SCOPE }));
    const times = await leaseTimes(world, coordinator, perStep);
    for (const host of HOSTS) {
      const at = times.get(host) ?? [];
      const what = `${host} beside ${hosts} hosts, ${perStep} leases a step`;
      assert.equal(at.length, 1 + PAGES, `${what}: robots.txt and every page`);
      assert.ok(at[0]! <= mostMs, `${what} began after ${at[0]} ms`);
      const waits = at.slice(1).map((time, i) => time - at[i]!);
      assert.ok(Math.max(...waits) <= mostMs, `${what} waited ${Math.max(...waits)} ms`);
    }
    await coordinator.close();
  }
});
