import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { decide, parseRobots } from "./mod.ts";

/** Verdicts of `rules` (lines of one group for all robots) for `paths`, as + and -. */
function verdicts(rules: string, paths: readonly string[]): string {
  const parsed = parseRobots(`User-agent: *\n${rules}`, "Outrider");
  return paths.map((path) => (decide(parsed, `http://a.example${path}`).allowed ? "+" : "-")).join("");
}

test("robots decide: the longest match wins, Allow at equal length", () => {
  assert.equal(verdicts("Disallow: /\nAllow: /a\nDisallow: /a/b", ["/", "/a", "/a/b", "/a/c"]), "-+-+");
  assert.equal(verdicts("Disallow: /a\nAllow: /a", ["/a", "/b"]), "++");
  assert.equal(verdicts("Disallow: /\nAllow: /*/filter/page=*/$", ["/1/filter/page=5/", "/1/filter/page=5/x"]), "+-");
});

test("robots decide: equivalent percent-encodings are equal, reserved characters aren't decoded", () => {
  assert.equal(verdicts("Disallow: /*%2F*", ["/a/b", "/a%2Fb", "/a%2fb"]), "+--");
  assert.equal(verdicts("Disallow: /x-%2A", ["/x-*", "/x-%2a", "/x-y", "/x-"]), "--++");
  assert.equal(verdicts("Disallow: /s%aa", ["/s%AA", "/s%aa", "/s%ab"]), "--+");
  assert.equal(verdicts("Disallow: /ツ", ["/%E3%83%84", "/%e3%83%84/x", "/ツ", "/%E3%83%85"]), "---+");
  assert.equal(verdicts("Disallow: /%E3%83%84", ["/ツ"]), "-");
  assert.equal(verdicts("Disallow: /%62az", ["/baz", "/%62%61z", "/bar"]), "--+");
  assert.equal(verdicts("Disallow: /a b", ["/a%20b", "/a+b"]), "-+");
  assert.equal(verdicts("Disallow: /100%", ["/100%", "/100%25", "/100"]), "--+");
  assert.equal(verdicts('Disallow: /"{x}|^`', ["/%22%7Bx%7D%7C%5E%60"]), "-");
});

test("robots decide: $ ends a path only at a pattern's end, and is literal elsewhere", () => {
  assert.equal(verdicts("Disallow: /a$", ["/a", "/a?", "/ab", "/a$"]), "-+++");
  assert.equal(verdicts("Disallow: /a$b", ["/a$b", "/a%24b", "/a"]), "--+");
  assert.equal(verdicts("Disallow: /*.php$", ["/x.php", "/x.php.php", "/x.php?a", "/.php"]), "--+-");
  assert.equal(verdicts("Disallow: /a*$", ["/a", "/abc", "/b"]), "--+");
  assert.equal(verdicts("Disallow: /aba*aba$", ["/aba", "/ababa", "/abaaba"]), "++-");
});

test("robots decide: path and query count, the fragment doesn't; robots.txt is always allowed", () => {
  assert.equal(verdicts("Disallow: /*?id=", ["/a?id=1", "/a#?id=1", "/a"]), "-++");
  assert.equal(verdicts("Disallow: /", ["", "/robots.txt", "/robots.txt?x", "/robots.txt/", "?a"]), "-+---");
  assert.equal(verdicts("Disallow: /robots.txt", ["/robots.txt"]), "+");
});

test("robots decide: the deciding rule is named with its line", () => {
  const rules = parseRobots("# a\r\nUser-agent: *\r\n\r\nDisallow: /priv\u00e9 # here\r\nAllow: /\r\n", "Outrider");
  assert.deepEqual(decide(rules, "http://a.example/priv%C3%A9/1"), {
    allowed: false,
    rule: "Disallow: /priv\u00e9",
    line: 4,
  });
  assert.deepEqual(decide(rules, "http://a.example/x"), { allowed: true, rule: "Allow: /", line: 5 });
  assert.deepEqual(decide(parseRobots("", "Outrider"), "http://a.example/x"), {
    allowed: true,
    rule: undefined,
    line: undefined,
  });
});

test("robots decide: hostile patterns and paths take linear time", () => {
  const started = performance.now();
  const path = `/${"a".repeat(10_000)}`;
  assert.equal(verdicts(`Disallow: /${"*a".repeat(5000)}*b`, [path]), "+");
  assert.equal(verdicts(`Disallow: /*${"a".repeat(5000)}b`, [path, `${path}b`]), "+-");
  assert.equal(verdicts(`Disallow: /*${"a*".repeat(20)}${"a".repeat(3000)}b$`, [path]), "+");
  const many = Array.from({ length: 2000 }, (_, i) => `Disallow: /*${"a".repeat(100)}${i}`).join("\n");
  assert.equal(verdicts(many, [path]), "+");
  assert.ok(performance.now() - started < 5000);
});
