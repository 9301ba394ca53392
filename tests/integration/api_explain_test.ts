/** The decision trace of a URL: robots line, position, time, duplicates. */

import assert from "node:assert/strict";
import type { Lease, Outcome } from "../../protocol/mod.ts";
import { apiClient } from "../support/api_client.ts";
import { apiParts } from "../support/api_parts.ts";
import { type ControlPlane, withControlPlane } from "../support/control_plane.ts";
import { captureOf, fetched, robots, targetOf } from "../support/outcomes.ts";
import { test } from "../support/test.ts";

const A = "https://a.example/";
const RULES = "# ours\nUser-agent: *\nDisallow: /private\nAllow: /private/open\n";

function explainer(plane: ControlPlane) {
  const ask = apiClient(apiParts(plane));
  return {
    ask,
    explain: async (url: string) => {
      const { status, body } = await ask(`GET /v1/explain?crawl_id=c&url=${encodeURIComponent(url)}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    },
    lease: async (max = 1): Promise<Lease> => {
      const request = { worker_id: "w", region: "r", max, max_leases: 1, holding: 0 };
      return (await plane.coordinator.lease(request)).leases[0]!;
    },
    complete: async ({ lease_id, epoch, slot }: Lease, outcomes: Outcome[]) => {
      const reply = await plane.coordinator.complete({ worker_id: "w", lease_id, epoch, slot, outcomes, done: true });
      assert.equal(reply.status, "ok");
    },
  };
}

function checkOf(body: { checks: { check: string; passes: boolean; says: string }[] }, name: string) {
  return body.checks.find(({ check }) => check === name)!;
}

test("explain: the line of robots.txt that decides, of a URL that was never offered too", () =>
  withControlPlane(async (plane) => {
    const { ask, explain, lease, complete } = explainer(plane);
    await ask("POST /v1/crawls", { json: { crawl_id: "c", seeds: [A] } });
    assert.equal((await explain(`${A}private/x`)).robots, undefined, "the file isn't known yet");
    const first = await lease(9);
    await complete(first, [robots(targetOf(first, "robots"), RULES), fetched(targetOf(first, "page"))]);
    const forbidden = await explain(`${A}private/x`);
    assert.deepEqual(forbidden.robots, { allowed: false, rule: "Disallow: /private", line: 3 });
    const { passes, says } = checkOf(forbidden, "robots");
    assert.equal(passes, false);
    assert.match(says, /^robots\.txt of https:\/\/a\.example forbids it; line 3 decides: Disallow: \/private\. /);
    assert.deepEqual((await explain(`${A}private/open`)).robots, {
      allowed: true,
      rule: "Allow: /private/open",
      line: 4,
    });
    const free = await explain(`${A}else`);
    assert.deepEqual(free.robots, { allowed: true });
    assert.match(checkOf(free, "robots").says, /allows it; no rule of it fits\./);
  }));

test("explain: how many come before it, and until when it waits", () =>
  withControlPlane(async (plane) => {
    const { ask, explain, lease, complete } = explainer(plane);
    await ask("POST /v1/crawls", {
      json: { crawl_id: "c", seeds: [`${A}1`, `${A}2`, `${A}3`], order: "breadth_first" },
    });
    const ahead = async () => await Promise.all([1, 2, 3].map(async (n) => (await explain(`${A}${n}`)).ahead));
    assert.deepEqual(await ahead(), [0, 1, 2]);
    assert.equal((await explain(`${A}1`)).waiting_until, undefined);
    assert.equal((await explain(`${A}none`)).ahead, undefined);
    const out = await lease(2);
    assert.deepEqual(await ahead(), [undefined, 0, 1], "what is out with an edge comes before nothing");
    await complete(out, [robots(targetOf(out, "robots")), fetched(targetOf(out, "page"))]);
    assert.deepEqual(await ahead(), [undefined, 0, 1]);
    const { waiting_until } = await explain(`${A}2`);
    const inMs = waiting_until - plane.clock.wallMs();
    assert.ok(inMs > 0 && inMs <= 10_000, `${inMs}`);
    assert.equal((await explain(`${A}1`)).waiting_until, undefined, "it waits for nothing any more");
  }));

test("explain: whose content it had, and which pattern shuts it out", () =>
  withControlPlane(async (plane) => {
    const { ask, explain, lease, complete } = explainer(plane);
    const seeds = [`${A}1`, `${A}2`, `${A}3`];
    await ask("POST /v1/crawls", {
      json: { crawl_id: "c", seeds, order: "breadth_first", scope: { exclude: ["x1$", "x2$"] } },
    });
    const content: Record<string, string> = { [`${A}1`]: "same", [`${A}2`]: "other", [`${A}3`]: "same" };
    for (let pages = 0; pages < seeds.length; plane.advance(20_000)) {
      const out = await lease(9);
      const answers: Outcome[] = out.targets.map((target) =>
        target.kind === "robots" ? robots(target) : { ...fetched(target), capture: captureOf(content[target.url]!) }
      );
      pages += answers.filter(({ status }) => status === "fetched").length;
      await complete(out, answers);
    }
    assert.deepEqual((await explain(`${A}3`)).duplicates_of, [`${A}1`]);
    assert.deepEqual((await explain(`${A}1`)).duplicates_of, []);
    assert.deepEqual((await explain(`${A}2`)).duplicates_of, []);
    assert.match(checkOf(await explain(`${A}x2`), "scope").says, /exclude pattern of the crawl \(x2\$\)/);
  }));
