import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { hostKeyOf } from "./host_name.ts";

test("host names: every spelling of a host is its one key", () => {
  const spelt: [string, string][] = [
    ["Example.COM", "example.com"],
    ["example.com.", "example.com."],
    ["m\u00fcnchen.de", "xn--mnchen-3ya.de"],
    ["127.1", "127.0.0.1"],
    ["[::1]", "[::1]"],
    ["[0:0::1]", "[::1]"],
    ["[::ffff:1.2.3.4]", "[::ffff:102:304]"],
    ["localhost", "localhost"],
    ["co.uk", "co.uk"],
    ["a_b-c.example", "a_b-c.example"],
    ["XN--A.test", "xn--a.test"],
    ["xn--", "xn--"],
  ];
  for (const [name, key] of spelt) assert.equal(hostKeyOf(name), key, name);
});

test("host names: what names no host, or would be read as another one, is refused", () => {
  const refused = [
    "*.site.test",
    "a#b",
    "a?b",
    "a/b",
    "a\\b",
    "a\tb.com",
    "a b",
    "a%20b",
    "u@b",
    "x:81",
    "x:80",
    "x:",
    "::1",
  ];
  refused.push(
    "",
    ".",
    "..",
    "%2e",
    "example..com",
    ".example.com",
    "a..xn--a",
    "xn--a:80",
    "[::1]:80",
    "[::1",
    "[::1]/x]",
    "http://a.example",
  );
  for (const name of refused) assert.throws(() => hostKeyOf(name), /is no hostname/, JSON.stringify(name));
});
