import assert from "node:assert/strict";
import { loadCore } from "../core-wasm/mod.ts";
import { test } from "../tests/support/test.ts";
import { answerUrl } from "./url_answer.ts";

const core = await loadCore();

test("an http URL has all facts", () => {
  assert.deepEqual(answerUrl(core, { input: "HTTP://Example.com:80/%7ea?b=2&a=1#f" }), {
    url: "http://example.com/%7ea?b=2&a=1#f",
    key: "http://example.com/~a?a=1&b=2",
    fingerprint: core.xxh64(new TextEncoder().encode("http://example.com/~a?a=1&b=2")).toString(16).padStart(16, "0"),
    surt: "com,example)/~a?a=1&b=2",
    host: "example.com",
    domain: "example.com",
    slot: 648,
  });
});

test("a URL of another scheme has its href", () => {
  const empty = { key: "", fingerprint: "", host: "", domain: "", slot: null };
  assert.deepEqual(answerUrl(core, { input: "mailto:a@b" }), { url: "mailto:a@b", surt: "mailto:a@b", ...empty });
  assert.deepEqual(answerUrl(core, { input: "ftp://e.org/x" }), { url: "ftp://e.org/x", surt: "", ...empty });
});

test("userinfo leaves no key", () => {
  const answer = answerUrl(core, { input: "http://me:pw@e.org/" });
  assert.ok("url" in answer);
  assert.deepEqual([answer.url, answer.key, answer.fingerprint, answer.surt], ["http://me:pw@e.org/", "", "", ""]);
});

test("a base is used, null stands for none", () => {
  const url = (line: unknown) => (answerUrl(core, line) as { url?: string }).url;
  assert.equal(url({ input: "../x", base: "http://e.org/a/b/c" }), "http://e.org/a/x");
  assert.equal(url({ input: "http://e.org/", base: null }), "http://e.org/");
});

test("what is no question gets a sentence", () => {
  for (const line of [null, 1, "http://e.org/", [], {}, { input: 1 }, { input: "x", base: 1 }, { input: "x" }]) {
    const answer = answerUrl(core, line);
    assert.ok("error" in answer && answer.error.endsWith("."), JSON.stringify(line));
  }
});
