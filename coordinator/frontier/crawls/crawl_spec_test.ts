import assert from "node:assert/strict";
import type { CrawlSpec } from "../../../protocol/mod.ts";
import { test } from "../../../tests/support/test.ts";
import { defaultUserAgent, isLoopbackUrl, validateCrawlId, validateCrawlSpec } from "./crawl_spec.ts";

const GOOD: CrawlSpec = {
  seeds: ["https://example.org/"],
  scope: { kind: "host", domains: ["example.com", "[2001:db8::1]"], max_depth: 0, include: ["^https:"], exclude: [] },
  priority: 0.5,
  politeness: { delay_ms: 1000, delay_factor: 10, delay_cap_ms: 60_000, max_parallel: 1 },
  user_agent: defaultUserAgent("0.1.0", "ops@example.org"),
  product_token: "outrider",
  contact: "ops@example.org",
  embeds: false,
  respect_rel_nofollow: false,
};
const CLOSED = { openedAddresses: false };
const OPENED = { openedAddresses: true };

const wrong: readonly [name: string, change: Partial<CrawlSpec>, sentence: RegExp][] = [
  ["priority above 1", { priority: 1.01 }, /^priority is 1.01/],
  ["priority not a number", { priority: NaN }, /^priority is NaN/],
  ["no page at all", { max_pages: 0 }, /^max_pages is 0/],
  ["a negative depth", { scope: { ...GOOD.scope, max_depth: -1 } }, /^max_depth is -1/],
  ["half a depth", { scope: { ...GOOD.scope, max_depth: 1.5 } }, /^max_depth is 1.5/],
  ["an unknown scope", { scope: { ...GOOD.scope, kind: "site" as "host" } }, /scope kind "site"/],
  ["an unknown order", { order: "depth_first" as "priority" }, /order "depth_first" is unknown/],
  ["a URL for a domain", { scope: { ...GOOD.scope, domains: ["https://a.org"] } }, /"https:\/\/a.org" is no hostname/],
  ["a long word with a bad end for a domain", {
    scope: { ...GOOD.scope, domains: [`${"a".repeat(250)}!`] },
  }, /is no hostname/],
  ["an upper-case domain", { scope: { ...GOOD.scope, domains: ["A.org"] } }, /"A.org" is no hostname/],
  ["a broken include", { scope: { ...GOOD.scope, include: ["("] } }, /include pattern "\("/],
  ["sloppy regex escapes", { scope: { ...GOOD.scope, exclude: ["\\-"] } }, /exclude pattern/],
  ["a pattern too long", { scope: { ...GOOD.scope, exclude: ["a".repeat(5000)] } }, /not 5000/],
  ["too many patterns", { scope: { ...GOOD.scope, include: Array(1000).fill("a") } }, /at most \d+ include/],
  ["delay 0", { politeness: { ...GOOD.politeness, delay_ms: 0 } }, /--allow-address/],
  ["a negative delay", { politeness: { ...GOOD.politeness, delay_ms: -5 } }, /^delay_ms is -5/],
  ["nothing in parallel", { politeness: { ...GOOD.politeness, max_parallel: 0 } }, /^max_parallel is 0/],
  ["no contact", { contact: undefined }, /A contact/],
  ["a contact that is none", { contact: "me" }, /"me" is neither/],
  ["a contact that breaks the header", { contact: "a@b\r\nX: y" }, /neither/],
  ["a token with a digit", { product_token: "bot2", user_agent: "bot2/1" }, /RFC 9309 2.2.1/],
  ["an agent without its token", { user_agent: "Mozilla/5.0" }, /doesn't contain/],
  ["an agent with a line break", { user_agent: "outrider\n" }, /can't be sent/],
];

for (const [name, change, sentence] of wrong) {
  test(`a crawl with ${name} is refused with one sentence`, () => {
    const problems = validateCrawlSpec({ ...GOOD, ...change }, CLOSED);
    assert.equal(problems.length, 1, problems.join("\n"));
    assert.match(problems[0]!, sentence);
    assert.match(problems[0]!, /\.$/);
  });
}

test("a good crawl passes, and delay 0 passes where addresses are open", () => {
  assert.deepEqual(validateCrawlSpec(GOOD, CLOSED), []);
  const fast = { ...GOOD, politeness: { ...GOOD.politeness, delay_ms: 0, delay_factor: 0 } };
  assert.deepEqual(validateCrawlSpec(fast, OPENED), []);
});

test("no contact is needed when every seed is loopback, and one stranger is enough to need it", () => {
  const loopback = ["http://localhost:80/", "http://a.localhost/", "http://127.3.2.1/", "http://[::1]:8080/x"];
  const nameless = { ...GOOD, contact: undefined, user_agent: defaultUserAgent("0.1.0") };
  const scope = { ...GOOD.scope, domains: [] };
  assert.deepEqual(validateCrawlSpec({ ...nameless, scope, seeds: loopback }, CLOSED), []);
  const mixed = validateCrawlSpec(
    { ...nameless, scope, seeds: [...loopback, "http://localhost.example.org/"] },
    CLOSED,
  );
  assert.match(mixed.join(), /A contact/);
});

test("a crawl that may leave loopback needs a contact though its seeds are loopback", () => {
  const nameless = { ...GOOD, seeds: ["http://127.0.0.1/"], contact: undefined };
  const local = { ...GOOD.scope, domains: ["localhost"] };
  assert.deepEqual(validateCrawlSpec({ ...nameless, scope: local }, CLOSED), []);
  for (const scope of [{ ...local, kind: "any" as const }, { ...local, domains: ["example.org"] }]) {
    assert.match(validateCrawlSpec({ ...nameless, scope }, CLOSED).join(), /A contact/);
    const politeness = { ...GOOD.politeness, delay_ms: 0 };
    assert.deepEqual(validateCrawlSpec({ ...nameless, scope, politeness }, OPENED), []);
  }
});

test("loopback is told by the parsed host, however it is spelt", () => {
  for (const url of ["http://0x7f.1/", "http://2130706433/", "http://LOCALHOST./", "http://[0:0:0:0:0:0:0:1]/"]) {
    assert.equal(isLoopbackUrl(url), true, url);
  }
  for (const url of ["http://127.0.0.1.nip.io/", "http://128.0.0.1/", "http://user@example.org/", "localhost", ""]) {
    assert.equal(isLoopbackUrl(url), false, url);
  }
});

test("crawl names are bounded", () => {
  for (const name of ["default", "a", "a-b_9", "x".repeat(64)]) assert.deepEqual(validateCrawlId(name), []);
  for (const name of ["", "A", "a b", "../x", "x".repeat(65), "é"]) assert.equal(validateCrawlId(name).length, 1, name);
});

test("several faults give several sentences", () => {
  assert.equal(validateCrawlSpec({ ...GOOD, priority: 2, contact: "x", max_pages: -1 }, CLOSED).length, 3);
});
