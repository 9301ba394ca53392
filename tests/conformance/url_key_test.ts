/**
 * Keys: the edge cases that public bug reports tell of (E numbers), each kind with several spellings.
 */

import assert from "node:assert/strict";
import { loadCore } from "../../core-wasm/mod.ts";
import { test } from "../support/test.ts";

const core = await loadCore();

function keyOf(input: string, base?: string): string {
  const facts = core.url(input, base);
  return "error" in facts ? facts.error : facts.key;
}

/** Every row: what the key is, and spellings that have it. */
const KEYS: Readonly<Record<string, readonly (readonly [key: string, ...spellings: string[]])[]>> = {
  "E01 escaped unreserved characters before a query": [
    ["https://e.org/p-1/?q=f", "https://e.org/p%2d1/?q=f", "https://e.org/p%2D1/?q=f", "https://e.org/%70-1/?%71=%66"],
    ["https://e.org/~_.-aZ09", "https://e.org/%7e%5f%2e%2d%61%5a%30%39"],
  ],
  "E02 IPv6 hosts": [
    ["http://[::1]:8080/", "http://[::1]:8080/", "http://[0:0:0:0:0:0:0:1]:8080"],
    ["http://[2001:db8::1]/", "http://[2001:DB8::1]/", "http://[2001:0DB8:0:0::1]:80/"],
    ["http://[::ffff:7f00:1]/", "http://[::ffff:127.0.0.1]/"],
  ],
  "E03 escapes are never escaped again": [
    ["https://e.org/NjAx%3D%3D", "https://e.org/NjAx%3d%3d", "https://e.org/NjAx%3D%3D"],
    ["https://e.org/%253D", "https://e.org/%253D", "https://e.org/%25%33D"],
    ["https://e.org/%2541", "https://e.org/%2541", "https://e.org/%25%34%31", "https://e.org/%%34%31"],
  ],
  "E04 stray percent signs": [
    ["https://e.org/90%25+of", "https://e.org/90%+of", "https://e.org/90%25+of"],
    ["https://e.org/%25?%25", "https://e.org/%?%", "https://e.org/%25?%25"],
    ["https://e.org/%25zz%254", "https://e.org/%zz%4"],
  ],
  "E06 escaped hosts": [["https://example.com/", "https://example%2Ecom/", "https://%65xample.com"]],
  "E07 hosts that are addresses in disguise": [
    [
      "http://127.0.0.1/",
      "http://127。0。0。1",
      "http://2130706433/",
      "http://0x7f.1/",
      "http://０１７７．０．０．１/",
    ],
  ],
  "E09 UTS 46, not toLowerCase": [
    ["http://xn--stanbul-qfb.example/", "http://ıstanbul.example/", "http://ıSTANBUL.example/"],
    ["http://s.example/", "http://ſ.example/", "http://S.example/"],
  ],
  "E10 parameters without a value": [
    ["http://e.org/f.php?variable", "http://e.org/f.php?variable"],
    ["http://e.org/?/a/=/o/", "http://e.org/?/a/=/o/"],
    ["http://e.org/?a=", "http://e.org/?a="],
  ],
  "E14 empty paths and queries": [
    [
      "http://e.com/",
      "http://e.com?",
      "http://e.com/?",
      "http://e.com",
      "http://e.com/#",
      "http://e.com/?#x",
      "http://e.com?&",
    ],
    ["http://e.com/?a=b", "http://e.com?a=b"],
  ],
  "E16 slashes at the end of a path stay as they are": [
    ["http://e.org/a", "http://e.org/a"],
    ["http://e.org/a/", "http://e.org/a/", "http://e.org/a/."],
    ["http://e.org//", "http://e.org//"],
  ],
  "queries are sorted by name, then value, and stay stable": [
    ["http://e.org/?a=1&a=2&b=0", "http://e.org/?b=0&a=2&a=1"],
    ["http://e.org/?a&a=&b", "http://e.org/?b&a&a="],
    ["http://e.org/?a=&a", "http://e.org/?a=&a"],
    ["http://e.org/?%C3%A9=1&z=2", "http://e.org/?z=2&%c3%a9=1", "http://e.org/?z=2&é=1"],
  ],
  "tracking parameters go": [
    [
      "http://e.org/",
      "http://e.org/?utm_source=a&utm_medium=b",
      "http://e.org/?UTM_Campaign=x",
      "http://e.org/?gclid=1",
    ],
    ["http://e.org/?a=1", "http://e.org/?fbclid=x&a=1&%75tm_term=y", "http://e.org/?a=1&msclkid"],
    ["http://e.org/?gcl=1&utm=2&xutm_source=3", "http://e.org/?xutm_source=3&utm=2&gcl=1"],
  ],
};

for (const [name, rows] of Object.entries(KEYS)) {
  test(name, () => {
    for (const [key, ...spellings] of rows) {
      for (const spelling of [key, ...spellings]) assert.equal(keyOf(spelling), key, spelling);
    }
  });
}

test("E19 64 KiB are refused with a reason, by both doors", () => {
  const long = `http://e.org/${"a".repeat(65_536)}`;
  const single = core.url(long);
  const batch = core.urls([long, `http://e.org/${"a".repeat(2035)}`, `http://e.org/${"a".repeat(2036)}`]);
  assert.ok("error" in single && single.error.includes("limit of 2048 bytes"));
  assert.deepEqual([batch.ok(0), batch.ok(1), batch.ok(2)], [false, true, false]);
  assert.ok(batch.why(0).includes("limit of 2048 bytes"));
});

test("E19 labels and names that DNS can't hold are refused at the crawl's door", () => {
  const label = (length: number) => "a".repeat(length);
  const name = (last: number) => `${`${label(63)}.`.repeat(3)}${label(last)}`;
  const batch = core.urls([label(63), label(64), name(61), name(62)].map((host) => `http://${host}/`));
  assert.deepEqual([0, 1, 2, 3].map((i) => batch.ok(i)), [true, false, true, false]);
  assert.ok(batch.why(1).includes("DNS"));
});

test("E20 what is fetched keeps its spelling", () => {
  const batch = core.urls(["http://e.org/a%2Bb%2fc?x=%7e#frag"]);
  assert.equal(batch.href(0), "http://e.org/a%2Bb%2fc?x=%7e");
  assert.equal(batch.key(0), "http://e.org/a%2Bb%2Fc?x=~");
});

test("the crawl's door refuses what it can't fetch, in sentences", () => {
  const inputs = [
    "mailto:a@b",
    "http://u:p@e.org/",
    "x",
    "http://",
    "http://a b/",
    "http://1.2.3.256/",
    "http://[1]/",
    "http://e:9x/",
  ];
  const batch = core.urls(inputs);
  const reasons = ["http or https", "user name", "scheme", "no host", "character", "IPv4", "IPv6", "port"];
  for (const [i, reason] of reasons.entries()) {
    assert.equal(batch.ok(i), false, inputs[i]);
    assert.ok(batch.why(i).includes(reason), batch.why(i));
    assert.deepEqual([batch.href(i), batch.key(i), batch.host(i), batch.fingerprints[i]], ["", "", "", 0n]);
  }
});
