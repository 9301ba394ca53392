import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { TargetParser } from "./fetch_target.ts";

test("hosts whose Punycode decodes to nothing are asked for as they are, though the runtime parses no such URL", () => {
  const targets = new TargetParser();
  const cases = [
    ["http://xn--a/", "http://xn--a", "xn--a", "/"],
    ["https://xn--a:8443/p?q#f", "https://xn--a:8443", "xn--a:8443", "/p?q"],
    ["http://www.xn--zzzz99.test/xn--a?xn--b", "http://www.xn--zzzz99.test", "www.xn--zzzz99.test", "/xn--a?xn--b"],
    ["http://xn--/", "http://xn--", "xn--", "/"],
    [
      "http://x.xn--6,-7i3c..xn--0f9ao925c:81/q",
      "http://x.xn--6,-7i3c..xn--0f9ao925c:81",
      "x.xn--6,-7i3c..xn--0f9ao925c:81",
      "/q",
    ],
    ["http://xn--ls8h.test/", "http://xn--ls8h.test", "xn--ls8h.test", "/"],
  ];
  for (const [href, origin, host, path] of cases) {
    for (let i = 0; i < 2; i++) {
      const target = targets.parse(href!);
      assert.ok(typeof target !== "string", `${href}: ${target}`);
      assert.deepEqual(
        [target.origin.origin, target.origin.host, target.path],
        [origin, host, path],
        "also when it is known",
      );
    }
  }
});

test("what is no URL stays one that isn't asked for", () => {
  const targets = new TargetParser();
  const cases = [
    "xn--a",
    "http://",
    "http://xn--a:99999/",
    "http://xn--a.1/",
    "http://a b/",
    "http://u:p@xn--a/",
    "ftp://xn--a/",
  ];
  for (const href of cases) assert.equal(typeof targets.parse(href), "string", href);
});
