import assert from "node:assert/strict";
import { LIMITS } from "../../protocol/limits.ts";
import { test } from "../../tests/support/test.ts";
import { decide, decodeRobotsBody, parseRobots } from "./mod.ts";

const allowed = (body: string | Uint8Array, token: string, path = "/x") =>
  decide(parseRobots(body, token), path).allowed;

test("robots parse: a group is meant by the whole product token, in any case", () => {
  const body = "User-agent: bot\nDisallow: /\n\nUser-agent: OutRider/2.0 (beta)\nDisallow: /x\n";
  assert.equal(allowed(body, "mybot"), true);
  assert.equal(allowed(body, "bot-news"), true);
  assert.equal(allowed(body, "BOT"), false);
  assert.equal(allowed(body, "Outrider"), false);
  assert.equal(allowed(body, "Outrider", "/y"), true);
});

test("robots parse: groups of one robot are merged, * counts only without one", () => {
  const body = "User-agent: a\nUser-agent: b\nDisallow: /1\nUser-agent: *\nDisallow: /\nUser-agent: A\nDisallow: /2\n";
  assert.deepEqual(["/1", "/2", "/3"].map((path) => allowed(body, "a", path)), [false, false, true]);
  assert.deepEqual(["/1", "/2", "/3"].map((path) => allowed(body, "b", path)), [false, true, true]);
  assert.equal(allowed(body, "c"), false);
  assert.equal(allowed("User-agent: a\n\nUser-agent: *\nDisallow: /\n", "a"), false, "an empty group joins the next");
  assert.equal(allowed("User-agent: *\nDisallow: /\nUser-agent: a\nDisallow:\n", "a"), true, "own group, no rules");
});

test("robots parse: other records don't end a group, rules without one belong to nobody", () => {
  assert.equal(allowed("User-agent: a\nSitemap: http://x/\nFoo: bar\nUser-agent: b\nDisallow: /\n", "a"), false);
  assert.equal(allowed("Disallow: /\nUser-agent: b\nAllow: /\n", "a"), true);
});

test("robots parse: line ends, marks, comments, spaces and misspellings", () => {
  for (const end of ["\n", "\r", "\r\n"]) {
    const lines = ["\ufeff# c", "", " useragent :\t* # all", "Dissallow : /x#c", "", "Allow:/xy"];
    const rules = parseRobots(lines.join(end), "a");
    assert.deepEqual(rules.rules.map(({ value, line }) => [value, line]), [["/xy", 6], ["/x", 4]]);
  }
  assert.equal(allowed("User-agent *\ndisallow /x", "a"), false);
  assert.equal(allowed("User-agent: *<BR>\nDisallow: /x<br/>\n", "a", "/x1"), false);
});

test("robots parse: crawl delay in ms, of the robot's own group, the first that is a number", () => {
  const delay = (body: string, token = "a") => parseRobots(body, token).crawlDelayMs;
  assert.equal(delay("User-agent: *\nCrawl-delay: 0.2\n"), 200);
  assert.equal(delay("User-agent: *\nCrawl-delay: 301\n"), 301_000);
  assert.equal(delay("User-agent: *\nCrawl-delay: .5s\nCrawl-delay: 7"), 500);
  assert.equal(delay(`User-agent: *\nCrawl-delay: ${"9".repeat(400)}`), 86_400_000);
  for (const odd of ["-1", "soon", "", "NaN", "Infinity"]) {
    assert.equal(delay(`User-agent: *\nCrawl-delay: ${odd}`), undefined);
  }
  assert.equal(delay("User-agent: *\nCrawl-delay: 5\nUser-agent: a\nDisallow: /"), undefined);
});

test("robots parse: sitemaps as they stand, once each, bounded", () => {
  const body = "Sitemap: http://A/s.xml\nUser-agent: b\nsite-map: /t\nSITEMAP: http://A/s.xml\nSitemap:\n";
  assert.deepEqual(parseRobots(body, "a").sitemaps, ["http://A/s.xml", "/t"]);
  const many = Array.from({ length: 5000 }, (_, i) => `Sitemap: /${i}`).join("\n");
  assert.equal(parseRobots(many, "a").sitemaps.length, 1000);
});

test("robots parse: 512 KiB are read, a line that the limit cuts is dropped", () => {
  const first = "User-agent: *\nDisallow: /first\n";
  const filler = "#".repeat(LIMITS.robotsBytes - first.length - 12) + "\n";
  const body = `${first}${filler}Disallow: /cut-in-two\nDisallow: /\n`;
  for (const one of [body, new TextEncoder().encode(body)]) {
    assert.deepEqual(parseRobots(one, "a").rules.map(({ value }) => value), ["/first"]);
  }
  const exact = `${first}${"#".repeat(LIMITS.robotsBytes - first.length - 16)}\nDisallow: /end\n`;
  assert.equal(exact.length, LIMITS.robotsBytes);
  assert.equal(allowed(new TextEncoder().encode(exact + "Disallow: /more"), "a", "/end"), false);
});

test("robots parse: bytes that aren't UTF-8 mean their percent-encoding", () => {
  const latin1 = Uint8Array.from("User-agent: *\nDisallow: /caf\u00e9\n", (unit) => unit.charCodeAt(0));
  assert.equal(allowed(latin1, "a", "/caf%e9"), false);
  assert.equal(allowed(latin1, "a", "/caf%C3%A9"), true);
  assert.equal(decodeRobotsBody(new Uint8Array([0x61, 0xff, 0xc3, 0xa9, 0xe2, 0x82])), "a%FF\u00e9%E2%82");
  const utf16 = new Uint8Array([0xff, 0xfe, ...[..."User-agent: *\nDisallow: /"].flatMap((c) => [c.charCodeAt(0), 0])]);
  assert.equal(allowed(utf16, "a"), false);
});

test("robots parse: many agents, many rules, long lines in linear time", () => {
  const started = performance.now();
  const agents = "User-agent: a\n".repeat(10_000);
  assert.equal(allowed(`${agents}Disallow: /\n`, "a"), false);
  assert.equal(allowed("User-agent: *\n" + "Disallow: /a\n".repeat(38_000), "a", "/b"), true);
  assert.equal(allowed(`User-agent: *\nDisallow: /${"<br>".repeat(100_000)}x`, "a"), true);
  for (const part of ["<br>", " ", " :", "*", "$", "%", "/index.htm"]) {
    const lines = Array.from({ length: 30 }, () => `Allow: /a${part.repeat(Math.floor(16_000 / part.length))}x>`);
    assert.equal(allowed(`User-agent: *\nDisallow: /\n${lines.join("\n")}`, "a"), false, part);
  }
  assert.ok(performance.now() - started < 5000);
});
