import assert from "node:assert/strict";
import type { UrlFacts, UrlRefused } from "../../core-wasm/core.ts";
import { test } from "../../tests/support/test.ts";
import { classifyResponse, type ResponseVerdict } from "./classify_response.ts";

/** The platform's parser in the core's place: this file's subject is the verdict, not URL parsing. */
function url(input: string, base?: string): UrlFacts | UrlRefused {
  if (!URL.canParse(input, base)) return { error: `Parsing "${input}" found no URL` };
  const { href, hostname } = new URL(input, base);
  return { url: href, key: href, fingerprint: 0n, surt: "", host: hostname, domain: hostname, slot: 0 };
}

const PARTS = { core: { url }, clock: { wallMs: () => Date.UTC(2026, 0, 1) } };
const PLAIN = "GET / HTTP/1.1\r\nhost: e.test\r\n\r\n";
const CONDITIONAL = 'GET / HTTP/1.1\r\nhost: e.test\r\nIf-None-Match: "a"\r\n\r\n';

function verdict(status: number, headers: [string, string][] = [], head = PLAIN): ResponseVerdict {
  const requestHead = new TextEncoder().encode(head);
  return classifyResponse({ url: "http://e.test/a/b?c", status, reason: "Reason", headers, requestHead }, PARTS);
}

test("final answers: every status that asks for nothing more", () => {
  for (const status of [200, 201, 204, 206, 300, 400, 401, 403, 404, 410, 418, 451, 600, 999]) {
    assert.deepEqual(verdict(status), { kind: "final" }, String(status));
  }
});

test("redirects are resolved against the URL that was asked for", () => {
  const cases: [string, string][] = [
    ["/x", "http://e.test/x"],
    ["x", "http://e.test/a/x"],
    ["?q", "http://e.test/a/b?q"],
    ["//other.test/y#f", "http://other.test/y#f"],
    ["https://e.test/", "https://e.test/"],
    ["  /blank  ", "http://e.test/blank"],
    ["/\xc3\xa9", "http://e.test/%C3%A9"],
    ["/\xe9", "http://e.test/%C3%A9"],
  ];
  for (const status of [301, 302, 303, 307, 308]) {
    for (const [location, wanted] of cases) {
      assert.deepEqual(verdict(status, [["LOCATION", location]]), { kind: "redirect", location: wanted }, location);
    }
  }
});

test("a redirect leads to http and https only", () => {
  const refused = ["file:///etc/passwd", "file://e.test/etc/passwd", "ftp://e.test/", "data:text/html,x", "http://["];
  for (
    const location of [...refused, "javascript:alert(1)", "mailto:a@e.test", "FILE:/etc/passwd", "gopher://e.test"]
  ) {
    const found = verdict(302, [["Location", location]]);
    assert.equal(found.kind === "failed" && found.failure, "redirect_refused", location);
  }
});

test("a redirect status without a target is a final answer", () => {
  assert.deepEqual(verdict(302), { kind: "final" });
  assert.deepEqual(verdict(302, [["Location", "  "]]), { kind: "final" });
  assert.deepEqual(verdict(200, [["Location", "/x"]]), { kind: "final" });
});

test("304 is unchanged only where the request had a condition", () => {
  assert.deepEqual(verdict(304, [], CONDITIONAL), { kind: "unchanged" });
  assert.equal(verdict(304).kind === "failed", true);
});

test("429, 503 and other 5xx fail with their class and Retry-After", () => {
  const cases: [number, string][] = [[429, "http_429"], [503, "http_503"], [500, "http_5xx"], [504, "http_5xx"], [
    599,
    "http_5xx",
  ]];
  for (const [status, failure] of cases) {
    const waits = verdict(status, [["retry-after", "120"]]);
    assert.ok(waits.kind === "failed");
    assert.deepEqual([waits.failure, waits.retryAfterMs], [failure, 120_000]);
    const silent = verdict(status, [["Retry-After", "abc"]]);
    assert.ok(silent.kind === "failed" && !("retryAfterMs" in silent));
  }
});
