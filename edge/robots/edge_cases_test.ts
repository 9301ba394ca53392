/** The robots cases of the shared list, each under its number, with more of its kind. */

import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { agentNames, decide, parseRobots, robotsClass } from "./mod.ts";

function allowed(rules: string, url: string): boolean {
  return decide(parseRobots(`User-agent: *\n${rules}\n`, "outrider"), url).allowed;
}

test("E23: 429 is read as 5xx: disallowed for now; every other 4xx allows all", () => {
  for (const status of [429, 500, 503, 599, 304, 100, 600, 0, undefined]) {
    assert.equal(robotsClass(status), "unreachable", String(status));
  }
  for (const status of [400, 401, 403, 404, 410, 418, 451, 499]) assert.equal(robotsClass(status), "allow_all");
  for (const status of [200, 203, 206, 299]) assert.equal(robotsClass(status), "rules");
});

test("E27: encoded slashes, encoded wildcards, cases of hex, UTF-8 and needless encoding", () => {
  const cases: readonly [rule: string, url: string, allowed: boolean][] = [
    ["Disallow: /*%2F*", "/a%2Fb", false],
    ["Disallow: /*%2F*", "/a%2fb", false],
    ["Disallow: /*%2F*", "/a/b", true],
    ["Disallow: /x-%2A", "/x-*", false],
    ["Disallow: /x-%2a", "/x-%2A", false],
    ["Disallow: /x-%2A", "/x-y", true],
    ["Disallow: /foo-%24", "/foo-$", false],
    ["Disallow: /foo-%24", "/foo-$/more", false],
    ["Disallow: /s%aa", "/s%AA", false],
    ["Disallow: /s%aa", "/s%aa", false],
    ["Disallow: /ツ", "/%E3%83%84", false],
    ["Disallow: /%e3%83%84", "/ツ", false],
    ["Disallow: /%62az", "/baz", false],
    ["Disallow: /baz", "/%62%61%7a", false],
    ["Disallow: /%7ehome", "/~home", false],
    ["Disallow: /a b", "/a%20b", false],
    ["Disallow: /100%", "/100%25", false],
    ["Disallow: /100%zz", "/100%zz", false],
    ["Disallow: /?q=%3Arelevance", "/?q=:relevance", true],
    ["Disallow: /*q=*relevance*", "/c/4018?q=%3Arelevance%3Atype", false],
  ];
  for (const [rule, url, wanted] of cases) assert.equal(allowed(rule, url), wanted, `${rule} for ${url}`);
});

test("E29: a group is for a whole product token in any case; bot isn't mybot, nor bot-news", () => {
  const body = "User-agent: bot\nDisallow: /\n\nUser-agent: *\nAllow: /\n";
  const of = (agent: string) => decide(parseRobots(body, agentNames(agent)), "/x").allowed;
  for (const agent of ["bot", "BOT", "Bot/2.1", "bot (beta)", "Mozilla/5.0 (compatible; Bot/1.0)"]) {
    assert.equal(of(agent), false, agent);
  }
  for (const agent of ["mybot", "bots", "bot-news", "bot_2", "ro", ""]) assert.equal(of(agent), true, agent);
});

test("E30: the longer rule wins over the one that stands first, wildcards counted; Allow wins a tie", () => {
  const both = "Disallow: /\nAllow: /*/filter/page=*/$";
  assert.equal(allowed(both, "/1/filter/page=5/"), true);
  assert.equal(allowed(both, "/1/filter/page=5/x"), false);
  assert.equal(allowed("Disallow: /page\nAllow: /page", "/page"), true);
  assert.equal(allowed("Allow: /p\nDisallow: /", "/page"), true);
  assert.equal(allowed("Allow: /folder\nDisallow: /folder", "/folder/page"), true);
  assert.equal(allowed("Allow: /page\nDisallow: /*.htm", "/page.htm"), false);
  assert.equal(allowed("Allow: /$\nDisallow: /", "/"), true);
  assert.equal(allowed("Allow: /$\nDisallow: /", "/page.htm"), false);
});

test("E34: hostile patterns, and thousands of agents, groups and rules, take linear time", () => {
  const startedAt = performance.now();
  const path = `/${"a".repeat(10_000)}`;
  for (
    const pattern of ["/*a*a*a*a*a*a*b", `/${"*a".repeat(5_000)}b`, `/${"a".repeat(5_000)}*${"a".repeat(5_000)}b$`]
  ) {
    assert.equal(allowed(`Disallow: ${pattern}`, path), true, pattern.slice(0, 20));
  }
  const agents = "User-agent: someone\n".repeat(10_000);
  assert.equal(parseRobots(`${agents}User-agent: outrider\nDisallow: /x\n`, "outrider").rules.length, 1);
  const each = "User-agent: outrider\nDisallow: /x\n".repeat(10_000);
  assert.equal(parseRobots(each, "outrider").rules.length, 10_000);
  const named = Array.from({ length: 10_000 }, (_, i) => `User-agent: robot${i}\n`).join("");
  assert.equal(
    parseRobots(`${named}User-agent: outrider\n${"Disallow: /*a*b\n".repeat(10_000)}`, "outrider").rules.length,
    10_000,
  );
  const took = performance.now() - startedAt;
  assert.ok(took < 5_000, `${took.toFixed(0)} ms`);
});
