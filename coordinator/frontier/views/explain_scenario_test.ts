/** Why a URL was or wasn't fetched, told for each reason that there is. */

import assert from "node:assert/strict";
import type { Explanation } from "../../explain_ports.ts";
import { LIMITS, type Target } from "../../../protocol/mod.ts";
import { answerAll, ask, complete, crawlAll, newWorld, robots, spec, start } from "../../../tests/support/frontier.ts";
import { test } from "../../../tests/support/test.ts";

const A = "https://a.example/";

function failing(explanation: Explanation): string[] {
  return explanation.checks.filter(({ passes }) => !passes).map(({ check }) => check);
}

test("each refusal is recomputed: its name, the check that fails, and a sentence", async () => {
  const world = newWorld();
  const limits = { ...LIMITS, hostBudgetUrls: 4, domainBudgetUrls: 6, hostQueueUrls: 3 };
  const coordinator = await start(world, { settings: { limits } });
  const scope = {
    kind: "domain",
    domains: ["extra.example"],
    max_depth: 3,
    include: [],
    exclude: ["\\.zip$"],
  } as const;
  await coordinator.createCrawl("c", spec([A], { scope }));
  const add = (urls: string[]) => coordinator.addSeeds("c", urls, { discoveredFrom: A, depth: 1 });
  await add([`${A}1`, `${A}2`]);
  const table: [string, string, string, RegExp][] = [
    ["https://other.example/", "scope", "scope", /isn't in the crawl's scope \(domain\)/],
    [`${A}x.zip`, "exclude", "scope", /matches an exclude pattern/],
    [`${A}${"x".repeat(3000)}`, "url_bytes", "shape", /longer than the limit of 2048/],
    [A + "a/".repeat(10), "repeated_segment", "shape", /more than 3 times/],
    [A + Array.from({ length: 25 }, (_, i) => `${i}/`).join(""), "path_segments", "shape", /more than 20 segments/],
    [`${A}?${Array.from({ length: 30 }, (_, i) => `p${i}`).join("&")}`, "query_parameters", "shape", /30 parameters/],
    [`${A}3`, "queue_full", "queue", /3 URLs of its host are queued; 3 may be/],
  ];
  for (const [url, refusal, check, sentence] of table) {
    const explanation = (await coordinator.explain("c", url))!;
    assert.equal(explanation.refusal, refusal, url);
    assert.equal(explanation.status, "unknown");
    assert.ok(failing(explanation).includes(check), `${url}: ${failing(explanation)}`);
    assert.match(explanation.why, sentence);
    assert.match(explanation.why, new RegExp(`refused at the door \\(${refusal}\\)`));
  }
  await crawlAll(coordinator, world, () => []);
  await add([`${A}4`]);
  assert.equal((await coordinator.explain("c", `${A}5`))!.refusal, "host_budget");
  await add(["https://b.a.example/1", "https://b.a.example/2"]);
  const domain = (await coordinator.explain("c", "https://c.a.example/"))!;
  assert.equal(domain.refusal, "domain_budget");
  assert.match(domain.why, /6 of 6 URLs of a.example/);
  const free = (await coordinator.explain("c", "https://extra.example/"))!;
  assert.equal(free.refusal, undefined);
  assert.match(free.why, /hasn't met it/);
  assert.equal(await coordinator.explain("none", A), undefined);
  await coordinator.close();
});

test("what was accepted is followed through robots.txt, lease, back-off and operators to its end", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec([A, `${A}private`]));
  const told = async (url: string) => (await coordinator.explain("c", url))!;
  const sentence = (explanation: Explanation, check: string) =>
    explanation.checks.find((one) => one.check === check)!.says;
  assert.match(sentence(await told(A), "robots"), /hasn't been asked for yet/);
  const lease = (await ask(coordinator)).leases[0]!;
  const out = await told(A);
  assert.deepEqual([out.status, out.row?.depth, out.row?.discoveryPath], ["crawling", 0, "I"]);
  assert.match(sentence(out, "host"), /leased to w1/);
  const pages = lease.targets.filter(({ kind }) => kind === "page");
  const reason = "robots: Disallow: /private (line 2)";
  await complete(coordinator, lease, [
    robots(lease.targets[0]!, { class: "rules", body: "User-agent: *\nDisallow: /private", http_code: 200 }),
    { status: "excluded", target_id: pages[1]!.target_id, requests: 0, reason },
  ], { last_start_ago_ms: 0 });
  const excluded = await told(`${A}private`);
  assert.deepEqual([excluded.status, failing(excluded).includes("robots")], ["blocked", true]);
  assert.match(excluded.why, /Disallow: \/private \(line 2\)/);
  assert.match(sentence(await told(A), "robots"), /has rules, which the edge applies/);
  await coordinator.setHostPolicy("a.example", { paused: true });
  assert.match(sentence(await told(A), "host"), /paused by an operator/);
  await coordinator.setHostPolicy("a.example", { paused: false });
  await coordinator.setDomainPolicy("a.example", { blockedReason: "its owner wrote" });
  assert.match(sentence(await told(A), "domain"), /its owner wrote/);
  await coordinator.setDomainPolicy("a.example", { blockedReason: "" });
  await world.clock.advance(5_000);
  await answerAll(coordinator, (await ask(coordinator)).leases[0]!);
  const done = await told(`${A}#fragment`);
  assert.deepEqual([done.status, done.why], ["done", "fetched with status 200"]);
  await coordinator.setCrawlState("c", "cancelled");
  assert.ok(failing(await told(A)).includes("crawl"));
  await coordinator.close();
});

test("a host that backs off is told from one that keeps its delay", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec([A, `${A}1`]));
  const says = async () => (await coordinator.explain("c", A))!.checks.find(({ check }) => check === "host")!.says;
  await answerAll(coordinator, (await ask(coordinator, { max: 1 })).leases[0]!);
  assert.match(await says(), /^Its host keeps its delay until /);
  await world.clock.advance(5_000);
  const lease = (await ask(coordinator)).leases[0]!;
  const [{ target_id }] = lease.targets as [Target];
  await complete(coordinator, lease, [{
    status: "failed",
    target_id,
    failure: "http_503",
    http_code: 503,
    requests: 1,
  }]);
  assert.match(await says(), /^Its host backs off until /);
  await coordinator.close();
});

test("a host tells its clocks, queues, budget and refusals, also one that is out of scope, over all shards", async () => {
  const world = newWorld(3);
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec([A, `${A}2`]));
  const { leases } = await ask(coordinator);
  await answerAll(
    coordinator,
    leases[0]!,
    () => ["https://out.example/1", "https://out.example/2", A + "x/".repeat(30)],
  );
  const host = coordinator.hostView("a.example")!;
  const [crawl] = host.crawls;
  assert.deepEqual([crawl!.crawlId, crawl!.accepted, crawl!.ready], ["c", 2, 0]);
  assert.deepEqual([crawl!.budget.used, crawl!.budget.limit, crawl!.budget.domainUsed], [2, LIMITS.hostBudgetUrls, 2]);
  assert.deepEqual(crawl!.rejectedByReason, { path_segments: 2 });
  assert.ok(host.clocks.nextStartInMs > 0);
  assert.deepEqual(coordinator.hostView("out.example")!.crawls[0]!.rejectedByReason, { scope: 4 });
  assert.equal(coordinator.hostView("never.example"), undefined);
  await coordinator.close();
});
