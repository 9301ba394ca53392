import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { canonicalTarget, hostName, hostNumber, originOf } from "./addresses.ts";
import { SPELLING_KINDS, spellOddly } from "./spelling.ts";

test("host numbers and names are inverse in both forms", () => {
  for (const host of [0, 1, 249, 250, 251, 63_000]) {
    for (const form of ["name", "address"] as const) {
      const name = hostName(host, form);
      assert.equal(hostNumber(name), host, name);
      assert.equal(hostNumber(`${name.toUpperCase()}:8080`), host);
    }
  }
  for (const other of ["127.0.0.1", "127.0.1.0", "127.0.1.251", "example.org", "h.web.test", ""]) {
    assert.equal(hostNumber(other), undefined, other);
  }
});

test("an odd target has the canonical form of the plain one", () => {
  const cases: [string, string][] = [
    ["/", "/"],
    ["/a/./b/../c", "/a/c"],
    ["/a/%2e%2E/b", "/b"],
    ["/a/..", "/"],
    ["/%70rivate/x", "/private/x"],
    ["/caf%c3%a9", "/caf%C3%A9"],
    ["/a?b=2&a=1", "/a?a=1&b=2"],
    ["/a?utm_source=x&b=1&gclid=2#f", "/a?b=1"],
    ["/a?", "/a"],
    ["/a?variable", "/a?variable"],
    ["http://h1.web.test:80/a?b=%7E", "/a?b=~"],
    ["http://h1.web.test", "/"],
  ];
  for (const [target, canonical] of cases) assert.equal(canonicalTarget(target), canonical, target);
});

test("every odd spelling is a different text for the same resource, and the platform's URL agrees on the host", () => {
  const paths = ["/", "/chain-3/p97.html", "/private/p4.html", "/x-1/item?cat=3&id=40", "/caf%C3%A9-5", "/a-1/~u9/"];
  for (const path of paths) {
    for (const port of [80, 8080]) {
      const origin = originOf(5, "name", port);
      const texts = new Set<string>();
      for (let kind = 0; kind < SPELLING_KINDS * 64; kind++) {
        const spelled = spellOddly({ origin, path }, kind);
        texts.add(spelled);
        const url = new URL(spelled);
        assert.equal(canonicalTarget(url.pathname + url.search), path, JSON.stringify(spelled));
        assert.equal(url.origin, origin, spelled);
      }
      assert.ok(texts.size > 10, `${path} has only ${texts.size} spellings`);
    }
  }
});

test("canonical form is linear on a hostile target", () => {
  const target = `/${"a".repeat(60_000)}%`;
  assert.equal(canonicalTarget(target).length, target.length);
});
