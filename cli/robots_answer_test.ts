import assert from "node:assert/strict";
import { testCore } from "../tests/support/frontier.ts";
import { test } from "../tests/support/test.ts";
import { answerRobots } from "./robots_answer.ts";

const core = await testCore();
const ask = (question: Record<string, unknown>) => answerRobots(core, question);

test("robots answer: a rule with its line, seconds, sitemaps", () => {
  const robots = "User-agent: Outrider\nCrawl-delay: 2.5\nDisallow: /a/\nSitemap: http://x.example/s.xml\n";
  const sitemaps = ["http://x.example/s.xml"];
  assert.deepEqual(ask({ robots, agent: "outrider", url: "http://x.example/a/b" }), {
    allowed: false,
    rule: "Disallow: /a/",
    line: 3,
    crawl_delay: 2.5,
    sitemaps,
  });
  assert.deepEqual(ask({ robots_base64: btoa(robots), agent: "other", url: "/a/b" }), {
    allowed: true,
    rule: null,
    line: null,
    crawl_delay: null,
    sitemaps,
  });
});

test("robots answer: an agent is a token, a user agent string or a list", () => {
  const robots = "User-agent: foobot\nDisallow: /\nUser-agent: *\nAllow: /\n";
  const allowed = (agent: unknown) => {
    const answer = ask({ robots, agent, url: "/" });
    assert.ok("allowed" in answer);
    return answer.allowed;
  };
  for (
    const agent of ["FooBot", "FooBot/1.0", "Mozilla/5.0 (compatible; FooBot/1.0; +http://foo.example)", [
      "x",
      "foobot",
    ]]
  ) {
    assert.equal(allowed(agent), false, String(agent));
  }
  for (const agent of ["foo", "MyFooBot", "", [], "x (+http://foobot.example/; foobot@a.example)"]) {
    assert.equal(allowed(agent), true, String(agent));
  }
});

test("robots answer: any other value is answered with a sentence", () => {
  const odd = [
    null,
    undefined,
    7,
    "x",
    [],
    {},
    { robots: 1 },
    { robots: "", agent: 1, url: "/" },
    { robots: "", agent: ["a", 1], url: "/" },
    { robots: "", agent: "a" },
    { robots_base64: "%", agent: "a", url: "/" },
  ];
  for (const line of odd) {
    const answer = answerRobots(core, line);
    assert.ok("error" in answer, JSON.stringify(line));
    assert.match(answer.error, /^Reading a robots question: found .*, wanted/);
  }
});

test("robots answer: a URL is judged as it would be asked for, dots and backslashes resolved", () => {
  const robots = "User-agent: *\nDisallow: /a\nDisallow: /q?x=../\n";
  const allowed = (url: string) => (ask({ robots, agent: "x", url }) as { allowed: boolean }).allowed;
  const forbidden = [
    "/b/../a",
    "\\a",
    "http://h/b/../a",
    "http://h\\a",
    "HTTPS://h/b/%2e%2E/a/c",
    "/b/./../a#f",
    "/\ta",
    "/q?x=../y",
  ];
  for (const url of forbidden) assert.equal(allowed(url), false, url);
  for (const url of ["/a/../b", "http://h/a/..", "/b%2f..%2fa", "/b?/../a", "h.example/b"]) {
    assert.equal(allowed(url), true, url);
  }
});
