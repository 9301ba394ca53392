import assert from "node:assert/strict";
import { test } from "../../../tests/support/test.ts";
import { ask, complete, fetched, newWorld, robots, spec, start } from "../../../tests/support/frontier.ts";
import { captureOf } from "../../../tests/support/outcomes.ts";
import type { Coordinator } from "../../ports.ts";
import type { CrawlStats, FailureClass, Lease, Outcome } from "../../../protocol/mod.ts";

/** robots.txt can't be had; the pages come back, as an edge does it. */
function unreachable(lease: Lease): Outcome[] {
  return lease.targets.map((target) =>
    target.kind === "robots"
      ? robots(target, { class: "unreachable", http_code: 503 })
      : { status: "deferred", target_id: target.target_id, reason: "robots.txt can't be had", requests: 0 }
  );
}

async function one(coordinator: Coordinator): Promise<Lease> {
  const { leases } = await ask(coordinator);
  assert.equal(leases.length, 1);
  return leases[0]!;
}

test("E22: unreachable robots.txt blocks the origin, never excludes its URLs; the wait doubles", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/1", "https://a.example/2"]));
  for (const waitMs of [60_000, 120_000]) {
    const lease = await one(coordinator);
    await complete(coordinator, lease, unreachable(lease));
    const stats = coordinator.stats("c")!;
    assert.deepEqual([stats.excluded, stats.dead, stats.queued], [0, 0, 2]);
    await world.clock.advance(waitMs - 1);
    const reply = await ask(coordinator);
    assert.equal(reply.leases.length, 0);
    assert.match(reply.reason, /^waiting until \d\d:\d\d:\d\d UTC: 1 host waiting for robots.txt$/);
    assert.equal(coordinator.stats("c")!.state, "running", "E49: waiting isn't finished");
    await world.clock.advance(1);
  }
  const lease = await one(coordinator);
  assert.deepEqual(lease.targets.map(({ kind }) => kind), ["robots", "page", "page"]);
  await coordinator.close();
});

test("fresh rules ride along by digest, for 24 h; a body is stored under the digest of what it is", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/1", "https://a.example/2"]));
  const lease = await one(coordinator);
  const body = "User-agent: *\nDisallow: /2\n";
  const answer = robots(lease.targets[0]!, { class: "rules", http_code: 200, body, digest: "0".repeat(64) });
  await complete(coordinator, lease, [answer]);
  await world.clock.advance(1_000);
  const next = await one(coordinator);
  assert.equal(next.robots.length, 1);
  const { digest, expires_in_ms } = next.robots[0]!;
  assert.notEqual(digest, "0".repeat(64));
  assert.equal(await coordinator.robotsBody({ digest: digest! }), body);
  assert.equal(await coordinator.robotsBody({ digest: "0".repeat(64) }), undefined);
  assert.equal(expires_in_ms, 24 * 3_600_000 - 1_000);
  assert.ok(next.targets.every(({ kind }) => kind === "page"));
  await coordinator.release({ worker_id: "w1", leases: [next], reason: "test" });
  await world.clock.advance(24 * 3_600_000);
  assert.equal((await one(coordinator)).targets[0]!.kind, "robots");
  await coordinator.close();
});

test("E33: a Crawl-delay over 300 s skips the host: its URLs are excluded with the reason, and the crawl ends", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/1", "https://a.example/2"]));
  const lease = await one(coordinator);
  const answer = robots(lease.targets[0]!, {
    class: "rules",
    http_code: 200,
    body: "User-agent: *\nCrawl-delay: 301\n",
    crawl_delay_ms: 301_000,
  });
  await complete(coordinator, lease, [answer]);
  await world.clock.advance(5_000);
  const stats = coordinator.stats("c")!;
  assert.deepEqual([stats.excluded, stats.queued, stats.state], [2, 0, "finished"]);
  const status = await coordinator.urlStatus("c", "https://a.example/1");
  assert.equal(status!.status, "blocked");
  assert.match(status!.why, /asks for a Crawl-delay of 301 s; at most 300 s are honoured/);
  await coordinator.close();
});

test("E32: a Crawl-delay below our own floor changes nothing, one above it becomes the gap, also after a restart", async () => {
  for (const [asked, gap] of [[200, 1_000], [7_000, 7_000]] as const) {
    const world = newWorld();
    const coordinator = await start(world);
    await coordinator.createCrawl("c", spec(["https://a.example/1", "https://a.example/2"]));
    const lease = await one(coordinator);
    const body = "User-agent: *\n";
    const answer = robots(lease.targets[0]!, { class: "rules", http_code: 200, body, crawl_delay_ms: asked });
    await complete(coordinator, lease, [answer]);
    await coordinator.close();
    const second = await start(world);
    await world.clock.advance(10_000);
    assert.equal((await one(second)).gap_ms, gap);
    await second.close();
  }
});

test("two origins of one host: the one that can't be reached doesn't hold up the other", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["http://a.example:81/1", "http://a.example/1", "http://a.example/2"]));
  const lease = await one(coordinator);
  const outcomes = lease.targets.map((target): Outcome => {
    if (target.kind === "robots") {
      return target.url.includes(":81") ? robots(target, { class: "unreachable" }) : robots(target);
    }
    if (!target.url.includes(":81")) return fetched(target);
    return { status: "deferred", target_id: target.target_id, reason: "robots.txt", requests: 0 };
  });
  await complete(coordinator, lease, outcomes);
  assert.equal(coordinator.stats("c")!.pages, 2);
  await world.clock.advance(61_000);
  const next = await one(coordinator);
  assert.deepEqual(next.targets.map(({ url }) => url), ["http://a.example:81/robots.txt", "http://a.example:81/1"]);
  await coordinator.close();
});

/** Answers robots targets of `origin` with a failure, defers its pages, until the crawl ends or `minutes` are over. */
async function crawlDead(
  options: { readonly failure: FailureClass; readonly http_code?: number; readonly minutes: number },
): Promise<CrawlStats> {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://dead.example/1", "https://dead.example/2"]));
  const { failure, http_code, minutes } = options;
  for (let second = 0; second < 60 * minutes && coordinator.stats("c")!.state === "running"; second++) {
    for (const lease of (await ask(coordinator)).leases) {
      const outcomes = lease.targets.map((target): Outcome =>
        target.kind === "robots"
          ? {
            status: "robots",
            target_id: target.target_id,
            origin: target.target_id.slice("robots:".length),
            class: "unreachable",
            failure,
            requests: 1,
            ...(http_code === undefined ? {} : { http_code }),
          }
          : { status: "deferred", target_id: target.target_id, reason: "robots.txt", requests: 0 }
      );
      await complete(coordinator, lease, outcomes, { last_start_ago_ms: 0 });
    }
    await world.clock.advance(1_000);
  }
  const stats = coordinator.stats("c")!;
  const status = await coordinator.urlStatus("c", "https://dead.example/1");
  if (stats.state === "finished") {
    assert.match(status!.why, new RegExp(`^given up: ${failure}: no connection to https`));
  }
  await coordinator.close();
  return stats;
}

test("E70, E76: a seed with a dead host ends within a minute, its URLs given up with the reason", async () => {
  for (const failure of ["dns", "connect_refused", "tls", "address_refused", "bad_url"] as const) {
    const stats = await crawlDead({ failure, minutes: 1 });
    assert.deepEqual([stats.state, stats.dead, stats.excluded, stats.queued], ["finished", 2, 0, 0], failure);
  }
});

test("a server that answers robots.txt with 503, or times out, isn't dead: its URLs wait", async () => {
  for (const options of [{ failure: "http_503", http_code: 503 }, { failure: "read_timeout" }] as const) {
    const stats = await crawlDead({ ...options, minutes: 8 });
    assert.deepEqual([stats.state, stats.dead, stats.queued], ["running", 0, 2]);
    assert.match(stats.reason, /^waiting until/);
  }
});

test("E25: an origin that redirects its robots.txt to where nobody may connect has answered: it waits, it isn't dead", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/1"]));
  const [lease] = (await ask(coordinator)).leases;
  const origin = "https://a.example";
  const hop = {
    url: `${origin}/robots.txt`,
    http_code: 302,
    location: "http://169.254.169.254/",
    capture: captureOf("moved"),
  };
  await complete(coordinator, lease!, [{
    status: "robots",
    target_id: `robots:${origin}`,
    origin,
    class: "unreachable",
    failure: "address_refused",
    requests: 1,
    hops: [hop],
  }]);
  await world.clock.advance(30_000);
  await ask(coordinator);
  assert.deepEqual([coordinator.stats("c")!.dead, coordinator.stats("c")!.queued], [0, 1]);
  await coordinator.close();
});

test("a Crawl-delay learned under a lease holds from the request that brought it, beyond the delay's cap", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/1"]));
  const [lease] = (await ask(coordinator)).leases;
  const outcome = { ...robots(lease!.targets[0]!), crawl_delay_ms: 200_000 };
  await complete(coordinator, lease!, [outcome], { last_start_ago_ms: 0, gap_ms: 200_000 });
  await world.clock.advance(199_000);
  assert.equal((await ask(coordinator)).leases.length, 0);
  await world.clock.advance(1_000);
  assert.equal((await ask(coordinator)).leases.length, 1);
  await coordinator.close();
});

test("an operator's delay that comes during a lease holds from the lease's last request", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/1", "https://a.example/2"]));
  const [lease] = (await ask(coordinator)).leases;
  await coordinator.setHostPolicy("a.example", { minDelayMs: 90_000 });
  await complete(coordinator, lease!, [robots(lease!.targets[0]!)], { last_start_ago_ms: 0, gap_ms: 1_000 });
  await world.clock.advance(89_000);
  assert.equal((await ask(coordinator)).leases.length, 0);
  await world.clock.advance(1_000);
  assert.equal((await ask(coordinator)).leases.length, 1);
  await coordinator.close();
});

test("an origin that answered in an earlier run isn't given up when it can't be reached after a restart", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/1", "https://a.example/2"]));
  const [lease] = (await ask(coordinator)).leases;
  await complete(coordinator, lease!, [robots(lease!.targets[0]!, { class: "allow_all", http_code: 404 })]);
  await coordinator.close();
  await world.clock.advance(25 * 3_600_000);
  const again = await start(world);
  for (let minute = 0; minute < 10; minute++) {
    for (const lease of (await ask(again)).leases) {
      const outcomes = lease.targets.filter(({ kind }) => kind === "robots").map(({ target_id }): Outcome => ({
        ...{ status: "robots", target_id, origin: "https://a.example", class: "unreachable", failure: "dns" },
        requests: 0,
      }));
      await complete(again, lease, outcomes);
    }
    await world.clock.advance(60_000);
  }
  const { dead, queued, state } = again.stats("c")!;
  assert.deepEqual([dead, queued, state], [0, 2, "running"]);
  await again.close();
});
