import assert from "node:assert/strict";
import { test } from "../../../tests/support/test.ts";
import type { Scope } from "../../../protocol/mod.ts";
import { compilePatterns, type ScopedUrl, scopeRules } from "./scope.ts";

function at(href: string, domain?: string): ScopedUrl {
  const { hostname } = new URL(href);
  return { href, host: hostname, domain: domain ?? hostname.split(".").slice(-2).join(".") };
}

const SEEDS = [at("https://www.a.example/docs/start.html")];

function reason(scope: Partial<Scope>, href: string, depth = 1, isSeed = false): string | undefined {
  const whole = { kind: "host", domains: [], include: [], exclude: [], ...scope } as Scope;
  return scopeRules({ scope: whole }, SEEDS, []).reason(at(href), depth, isSeed);
}

test("scope by kind", () => {
  const table: [Scope["kind"], string, boolean][] = [
    ["host", "https://www.a.example/other", true],
    ["host", "http://www.a.example:8080/", true],
    ["host", "https://a.example/", false],
    ["host", "https://www.a.example.evil.test/", false],
    ["domain", "https://a.example/", true],
    ["domain", "https://deep.sub.a.example/", true],
    ["domain", "https://nota.example/", false],
    ["prefix", "https://www.a.example/docs/x/y", true],
    ["prefix", "http://www.a.example/docs/", true],
    ["prefix", "https://www.a.example/docs", false],
    ["prefix", "https://www.a.example/docsother", false],
    ["prefix", "https://www.a.example/?/docs/", false],
    ["any", "https://anything.test/", true],
  ];
  for (const [kind, href, isIn] of table) {
    assert.equal(reason({ kind }, href), isIn ? undefined : "scope", `${kind} ${href}`);
  }
});

test("extra domains let in themselves and their subdomains, nothing that only ends alike", () => {
  for (const kind of ["host", "domain", "prefix"] as const) {
    assert.equal(reason({ kind, domains: ["B.example"] }, "https://b.example/"), undefined);
    assert.equal(reason({ kind, domains: ["b.example"] }, "https://x.b.example/y"), undefined);
    assert.equal(reason({ kind, domains: ["b.example"] }, "https://notb.example/"), "scope");
  }
});

test("patterns: one include must match, seeds are exempt; any exclude refuses, seeds too", () => {
  assert.equal(reason({ include: ["/docs/", "\\.pdf$"] }, "https://www.a.example/x.pdf"), undefined);
  assert.equal(reason({ include: ["/docs/"] }, "https://www.a.example/x"), "include");
  assert.equal(reason({ include: ["/docs/"] }, "https://www.a.example/x", 0, true), undefined);
  assert.equal(reason({ exclude: ["[?&]sort="] }, "https://www.a.example/?sort=1", 0, true), "exclude");
  assert.equal(reason({ include: ["x"], exclude: ["x"] }, "https://www.a.example/x"), "exclude");
});

test("an invalid pattern is an error sentence", () => {
  assert.throws(
    () => compilePatterns("include", ["("]),
    /include pattern "\(".*wanted a JavaScript regular expression/,
  );
});

test("depth: the limit itself is within", () => {
  assert.equal(reason({ max_depth: 1 }, "https://www.a.example/", 1), undefined);
  assert.equal(reason({ max_depth: 1 }, "https://www.a.example/", 2), "max_depth");
  assert.equal(reason({ max_depth: 0 }, "https://www.a.example/", 0), undefined);
});

test("what joined later widens the scope in its own kind", () => {
  const scope: Scope = { kind: "prefix", domains: [], include: [], exclude: [] };
  const narrow = scopeRules({ scope }, SEEDS, []);
  const moved = at("https://new.example/manual/en/");
  assert.equal(narrow.reason(moved, 0, true), "scope");
  const extra = { entry: narrow.extraOf(moved), host: moved.host, domain: moved.domain };
  assert.equal(extra.entry, "new.example/manual/en/");
  const wide = scopeRules({ scope }, SEEDS, [extra]);
  assert.equal(wide.reason(at("https://new.example/manual/en/x"), 1, false), undefined);
  assert.equal(wide.reason(at("https://new.example/other"), 1, false), "scope");
});
