import assert from "node:assert/strict";
import type { Lease, Outcome, Target } from "../../../protocol/mod.ts";
import {
  answerAll,
  ask,
  complete,
  crawlAll,
  fetched,
  newWorld,
  robots,
  spec,
  start,
} from "../../../tests/support/frontier.ts";
import { Faults, faultyStore } from "../../../tests/support/faulty_store.ts";
import { test } from "../../../tests/support/test.ts";

const HOME = "https://a.example/";
const LINKS = ["https://a.example/1", "https://a.example/2"];
const site = (url: string) => url === HOME ? LINKS : [];

function unchanged(target: Target): Outcome {
  return { status: "unchanged", target_id: target.target_id, http_code: 304, requests: 1 };
}

/** Leases until the crawl is finished; the page targets, each answered by `answer`. */
async function again(
  world: ReturnType<typeof newWorld>,
  coordinator: Awaited<ReturnType<typeof start>>,
  answer: (target: Target) => Outcome,
): Promise<Target[]> {
  const targets: Target[] = [];
  const turn = async (lease: Lease) => {
    targets.push(...lease.targets.filter(({ kind }) => kind === "page"));
    await complete(coordinator, lease, lease.targets.map((one) => one.kind === "robots" ? robots(one) : answer(one)), {
      last_start_ago_ms: 0,
    });
  };
  for (let step = 0; step < 60 && coordinator.stats("c")!.state !== "finished"; step++) {
    for (const lease of (await ask(coordinator)).leases) await turn(lease);
    await world.clock.advance(1_000);
  }
  return targets;
}

test("recrawl: every settled URL is asked for once more, with what is known of it (E83, E101)", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec([HOME]));
  const first = await crawlAll(coordinator, world, site);
  assert.deepEqual([first.length, coordinator.stats("c")!.state], [3, "finished"]);
  const before = coordinator.stats("c")!;
  assert.equal(await coordinator.recrawl("c"), 3);
  const queued = coordinator.stats("c")!;
  assert.deepEqual([queued.state, queued.accepted, queued.settled, queued.pages], ["running", 3, 0, 0]);
  const targets = await again(
    world,
    coordinator,
    (target) => target.url === HOME ? fetched(target, LINKS) : unchanged(target),
  );
  assert.deepEqual(targets.map(({ url }) => url).sort(), first.toSorted());
  for (const { history } of targets) assert.match(history!.payload_digest, /^sha1:/);
  const { state, accepted, settled, fetched: answers, pages } = coordinator.stats("c")!;
  assert.deepEqual({ state, accepted, settled, answers, pages }, {
    state: "finished",
    accepted: 3,
    settled: 3,
    answers: 3,
    pages: 3,
  });
  assert.equal(before.pages, 3);
  // Unmodified pages aren't asked for at once again, and an unknown crawl is none.
  await world.clock.advance(60_000);
  assert.deepEqual((await ask(coordinator)).leases, []);
  assert.equal(await coordinator.recrawl("none"), undefined);
  await coordinator.close();
});

test("recrawl: validators of the last whole answer come with the target, of other answers none", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec([HOME]));
  const facts = (target: Target, change: object) => {
    const page = fetched(target, site(target.url));
    return {
      ...page,
      capture: { ...page.capture, etag: '"1"', last_modified: "Sun, 06 Nov 1994 08:49:37 GMT", ...change },
    };
  };
  await again(world, coordinator, (target) => {
    if (target.url === HOME) return facts(target, {});
    if (target.url === LINKS[0]) return facts(target, { truncated: "length" });
    return { ...facts(target, {}), http_code: 404 };
  });
  await coordinator.recrawl("c");
  const found = new Map((await again(world, coordinator, unchanged)).map((target) => [target.url, target]));
  assert.deepEqual([found.get(HOME)!.etag, found.get(HOME)!.last_modified], ['"1"', "Sun, 06 Nov 1994 08:49:37 GMT"]);
  for (const url of LINKS) {
    assert.deepEqual([found.get(url)!.etag, found.get(url)!.history], [undefined, undefined], url);
  }
  // A page that was unchanged keeps the capture that has its content.
  await coordinator.recrawl("c");
  const third = await again(world, coordinator, unchanged);
  assert.equal(third.find(({ url }) => url === HOME)!.etag, '"1"');
  await coordinator.close();
});

test("recrawl: what wasn't a page is taken up too, and counters stay true to the rows", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec([HOME]));
  const outcomes: Record<string, (target: Target) => Outcome> = {
    [HOME]: (target) => fetched(target, LINKS),
    [LINKS[0]!]: ({ target_id }) => ({
      status: "redirected",
      target_id,
      http_code: 301,
      location: LINKS[1]!,
      requests: 1,
    }),
    [LINKS[1]!]: ({ target_id }) => ({ status: "excluded", target_id, reason: "robots: Disallow: /2", requests: 0 }),
  };
  const answer = (target: Target) => outcomes[target.url]!(target);
  for (let pass = 0; pass < 3; pass++) {
    assert.equal((await again(world, coordinator, answer)).length, 3, `pass ${pass}`);
    const { accepted, settled, fetched: answers, redirected, excluded, dead } = coordinator.stats("c")!;
    assert.deepEqual([accepted, settled, answers, redirected, excluded, dead], [3, 3, 1, 1, 1, 0], `pass ${pass}`);
    assert.equal(await coordinator.recrawl("c"), 3);
  }
  await coordinator.close();
});

test("recrawl: a page limit counts anew, and a coordinator that dies while it queues goes on", async () => {
  const world = newWorld();
  const first = await start(world);
  await first.createCrawl("c", spec([HOME], { max_pages: 3 }));
  await crawlAll(first, world, site);
  assert.equal(first.stats("c")!.state, "finished");
  await first.close();
  // As a crash leaves it: marked, nothing queued yet.
  const crawl = world.control.crawls.get("c")!;
  world.control.crawls.set("c", { ...crawl, state: "running", reason: "", recrawlBefore: world.clock.wallMs() });
  const second = await start(world);
  assert.deepEqual([second.stats("c")!.queued, second.stats("c")!.pages], [3, 0]);
  assert.equal(world.control.crawls.get("c")!.recrawlBefore, 0);
  assert.equal((await again(world, second, unchanged)).length, 3);
  assert.match(second.stats("c")!.reason, /limit of 3 pages|settled/);
  await second.close();
});

test("recrawl: beside pages that are leased", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec([HOME]));
  await answerAll(coordinator, (await ask(coordinator)).leases[0]!, site);
  await world.clock.advance(5_000);
  const { leases } = await ask(coordinator);
  assert.equal(await coordinator.recrawl("c"), 1);
  await answerAll(coordinator, leases[0]!, site);
  const rest = await again(world, coordinator, unchanged);
  assert.deepEqual(rest.map(({ url }) => url), [HOME]);
  await coordinator.close();
});

test("recrawl: where the store can't be read, pages are leased without their history", async () => {
  const world = newWorld();
  const faults = new Faults();
  const coordinator = await start(world, { wrap: (store) => faultyStore(store, faults) });
  await coordinator.createCrawl("c", spec([HOME]));
  await crawlAll(coordinator, world, site);
  await coordinator.recrawl("c");
  faults.read = "earlierCaptures";
  const [lease] = (await ask(coordinator)).leases;
  assert.deepEqual([lease!.targets.length, faults.read], [3, undefined]);
  assert.ok(lease!.targets.every(({ history }) => history === undefined));
  await coordinator.close();
});
