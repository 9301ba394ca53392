/**
 * robots.txt as other parsers' tests expect it. Where sources differ, RFC 9309 decides, then google/robotstxt; every
 * expectation that isn't met is listed with its reason, so that a new difference can't hide.
 */

import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { answerRobots } from "../../cli/robots_answer.ts";
import { matchPath } from "../../edge/robots/decide.ts";
import { canonicalPattern } from "../../edge/robots/encoding.ts";
import { decide, decodeRobotsBody, parseRobots, robotsClass } from "../../edge/robots/mod.ts";
import { CORPORA_ABSENT, corpusBytes, corpusLines } from "../support/corpora.ts";
import { testCore } from "../support/frontier.ts";
import { test } from "../support/test.ts";

interface Case {
  readonly source: string;
  readonly test: string;
  readonly op?: string;
  readonly robots?: string;
  readonly robots_base64?: string;
  readonly agent?: string | readonly string[];
  readonly url?: string;
  readonly status?: number;
  readonly pattern?: string;
  readonly expected?: unknown;
  readonly allowed?: boolean | null;
  readonly crawl_delay?: number | null;
  readonly sitemaps?: readonly string[];
  readonly sitemaps_count?: number;
  readonly sitemaps_contains?: readonly string[];
}

const SOURCES = [
  "bubing",
  "crawler-commons",
  "google-robotstxt",
  "heritrix3",
  "protego",
  "rep-cpp",
  "reppy",
  "robots-parser",
  "temoto-robotstxt",
];

const OTHER_HOST =
  "whether a robots.txt is the URL's own is settled before the rules are asked: they are kept by origin";
const NO_TOKEN = "a User-agent line names one product token (RFC 9309 2.2.1); what stands behind it is nothing";
const OTHER_RECORDS = "other records don't end a group (RFC 9309 2.2.4), so the groups share the rule below";
const NO_COLON = "google/robotstxt takes white space for a forgotten colon";
const NO_GROUP = "rules above the first User-agent line belong to no group (RFC 9309 2.2)";

/** `source test` -> how many of its cases we answer otherwise, and why. */
const DISAGREEMENTS: Readonly<Record<string, readonly [cases: number, reason: string]>> = {
  "bubing testDisallowStar": [4, "BUbiNG takes * literally; RFC 9309 2.2.3 makes it a wildcard"],
  "crawler-commons testBigCrawlDelay": [1, "a long Crawl-delay is the scheduler's affair, never a silent Disallow"],
  "crawler-commons testMatchingOfUserAgentNamesIndependentFromSequentialOrder": [
    1,
    "the recorded file has an empty Disallow only, which allows all",
  ],
  "crawler-commons testMultiAgentNames": [1, NO_TOKEN],
  "crawler-commons testSitemap": [1, "a bare URL is no Sitemap line"],
  "crawler-commons testSpacesInMultipleUserAgentNames": [2, NO_TOKEN],
  "google-robotstxt ID_Encoding": [1, "RFC 9309 2.2.2: encoded unreserved characters are decoded; Google's are not"],
  "heritrix3 testSeparatedSections": [1, OTHER_RECORDS],
  "protego TestProtego.test_generosity": [1, NO_TOKEN],
  "protego TestProtego.test_grouping_unknown_keys": [3, OTHER_RECORDS],
  "rep-cpp NeverExternalAllowed": [2, OTHER_HOST],
  "rep-cpp SkipMalformedLine": [1, NO_COLON],
  "reppy test_grouping_unknown_keys": [1, OTHER_RECORDS],
  "reppy test_no_leading_user_agent": [2, NO_GROUP],
  "reppy test_skip_malformed_line": [1, NO_COLON],
  "robots-parser should default to port 443 for https: if no port given": [2, OTHER_HOST],
  "robots-parser should default to port 80 for http: if no port given": [2, OTHER_HOST],
  "robots-parser should handle invalid robots.txt urls": [3, OTHER_HOST],
  "robots-parser should handle lone high / low surrogates": [2, "a lone surrogate is U+FFFD in UTF-8, in both"],
  "robots-parser should honor given port number": [4, OTHER_HOST],
  "robots-parser should not allow URls if domain specified and robots.txt is relative": [2, OTHER_HOST],
  "robots-parser should not allow relative paths if domain specified": [2, OTHER_HOST],
  "robots-parser should not treat invalid robots.txt URLs as relative": [2, OTHER_HOST],
  "robots-parser should return undefined for invalid urls": [6, OTHER_HOST],
  "temoto-robotstxt TestURLMatching": [3, "a path begins with / (RFC 9309 2.2); the rule fish/ says nothing"],
};

const cases = (): Case[] => SOURCES.flatMap((source) => corpusLines<Case>(`3-robots/${source}.open.jsonl`));

const core = await testCore();

function agrees(one: Case): boolean {
  const { robots, robots_base64, agent = "anybot", url = "/" } = one;
  const answer = answerRobots(core, { robots, robots_base64, agent, url });
  if ("error" in answer) return false;
  return (one.allowed === undefined || answer.allowed === one.allowed) &&
    (one.crawl_delay === undefined || answer.crawl_delay === one.crawl_delay) &&
    (one.sitemaps === undefined || String(answer.sitemaps) === String(one.sitemaps)) &&
    (one.sitemaps_count === undefined || answer.sitemaps.length === one.sitemaps_count) &&
    (one.sitemaps_contains ?? []).every((sitemap) => answer.sitemaps.includes(sitemap));
}

test("robots conformance: every case agrees or its disagreement is explained", () => {
  const found = new Map<string, number>();
  for (const one of cases()) {
    if (one.op !== undefined || agrees(one)) continue;
    const name = `${one.source} ${one.test}`;
    found.set(name, (found.get(name) ?? 0) + 1);
  }
  const wanted = Object.entries(DISAGREEMENTS).map(([name, [count]]) => [name, count]);
  assert.deepEqual([...found].sort(), wanted.sort());
}, { skip: CORPORA_ABSENT });

test("robots conformance: statuses, paths and line numbers", () => {
  let checked = 0;
  for (const one of cases()) {
    checked++;
    if (one.op === "http_status") {
      assert.equal(robotsClass(one.status), one.allowed ? "allow_all" : "unreachable", String(one.status));
    } else if (one.op === "match_path_of_url") assert.equal(matchPath(one.url!), one.expected, one.url!);
    else if (one.op === "escape_pattern") assert.equal(canonicalPattern(one.pattern!), one.expected);
    else if (one.op === "matching_line_number") {
      const answer = answerRobots(core, one);
      assert.ok("line" in answer);
      assert.equal(answer.line ?? -1, one.expected, one.url!);
    } else checked--;
  }
  assert.ok(checked >= 40, `${checked} cases`);
}, { skip: CORPORA_ABSENT });

test("robots conformance: real files, no crash, bounded time", () => {
  const lines = new TextDecoder().decode(gunzipSync(corpusBytes("3-robots/robots-real.jsonl.gz"))).split("\n");
  const paths = ["/", "/search?q=a", "/wp-admin/admin-ajax.php", `/${"a".repeat(2000)}`];
  let rules = 0;
  for (const line of lines.filter((one) => one !== "")) {
    const { robots, robots_base64 } = JSON.parse(line) as Case;
    const body = robots ?? decodeRobotsBody(Uint8Array.from(atob(robots_base64!), (unit) => unit.charCodeAt(0)));
    for (const token of ["Outrider", "Googlebot"]) {
      const parsed = parseRobots(body, token);
      rules += parsed.rules.length;
      for (const path of paths) assert.equal(typeof decide(parsed, path).allowed, "boolean");
    }
  }
  assert.ok(rules > 10_000, `${rules} rules`);
}, { skip: CORPORA_ABSENT });
