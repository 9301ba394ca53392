import assert from "node:assert/strict";
import { LIMITS } from "../../protocol/mod.ts";
import { test } from "../../tests/support/test.ts";
import { crawlSpecFrom, defaultCrawlSpec } from "./crawl_request.ts";
import { CrawlRequest, type CrawlRequestBody } from "./crawl_schemas.ts";

const DEFAULTS = { version: "0.1.0", contact: "ops@example.org", openedAddresses: false };

function specOf(request: CrawlRequestBody, defaults: typeof DEFAULTS = DEFAULTS) {
  const made = crawlSpecFrom(request, defaults);
  assert.ok("spec" in made, JSON.stringify(made));
  return made.spec;
}

test("absent fields take the documented defaults", () => {
  assert.deepEqual(specOf({ seeds: ["https://example.org/"] }), {
    seeds: ["https://example.org/"],
    scope: { kind: "host", domains: [], include: [], exclude: [] },
    priority: 0.5,
    politeness: {
      delay_ms: LIMITS.delayMs,
      delay_factor: LIMITS.delayFactor,
      delay_cap_ms: LIMITS.delayCapMs,
      max_parallel: 1,
    },
    user_agent: "Outrider/0.1.0 (+ops@example.org)",
    product_token: "outrider",
    contact: "ops@example.org",
    embeds: false,
    respect_rel_nofollow: false,
  });
});

test("what is given holds, zeros included", () => {
  const spec = specOf({
    seeds: ["http://127.0.0.1/"],
    scope: { kind: "prefix", max_depth: 0, exclude: ["x"] },
    priority: 0,
    politeness: { delay_ms: 0, delay_factor: 7 },
    contact: "https://example.org/bot",
    max_pages: 1,
  }, { ...DEFAULTS, openedAddresses: true });
  assert.equal(spec.scope.max_depth, 0);
  assert.equal(spec.priority, 0);
  assert.deepEqual([spec.politeness.delay_ms, spec.politeness.delay_factor], [0, 0]);
  assert.equal(spec.user_agent, "Outrider/0.1.0 (+https://example.org/bot)");
});

test("problems are all told", () => {
  const made = crawlSpecFrom(
    { seeds: ["https://e.org/"], scope: { include: ["("] }, politeness: { delay_ms: 0 } },
    DEFAULTS,
  );
  assert.ok("problems" in made);
  assert.equal(made.problems.length, 2);
});

test("the default crawl has no seeds, and can be made with and without a contact", () => {
  assert.deepEqual(defaultCrawlSpec(DEFAULTS), defaultCrawlSpec({ ...DEFAULTS }));
  assert.equal(defaultCrawlSpec({ version: "0.1.0", openedAddresses: false }).contact, undefined);
});

test("a misspelt field is refused, at every level", () => {
  const seeds = ["https://example.org/"];
  for (const body of [{ seeds, max_page: 1 }, { seeds, scope: { depth: 1 } }, { seeds, politeness: { delay: 1 } }]) {
    assert.equal(CrawlRequest.safeParse(body).success, false, JSON.stringify(body));
  }
  assert.equal(CrawlRequest.safeParse({ seeds: [] }).success, false);
});

test("the default order makes no other spec, named or not", () => {
  const seeds = ["https://example.org/"];
  const named = (order: "priority" | "breadth_first") => crawlSpecFrom({ seeds, order }, DEFAULTS);
  assert.deepEqual(named("priority"), crawlSpecFrom({ seeds }, DEFAULTS));
  const other = named("breadth_first");
  assert.ok("spec" in other);
  assert.equal(other.spec.order, "breadth_first");
});
