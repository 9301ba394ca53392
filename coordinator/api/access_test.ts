import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { rolesFor, strangerProblem } from "./access.ts";

test("the access table gives each role its paths and the operator the rest", () => {
  const expected: [method: string, path: string, roles: string[]][] = [
    ["GET", "/healthz", ["open"]],
    ["HEAD", "/healthz", ["open"]],
    ["POST", "/healthz", []],
    ["GET", "/readyz", ["reader"]],
    ["GET", "/v1/crawls", ["reader"]],
    ["GET", "/v1/crawls/a/stats", ["reader"]],
    ["POST", "/v1/crawls", []],
    ["POST", "/v1/crawls/a/pause", []],
    ["POST", "/v1/crawl/seeds", []],
    ["GET", "/v1/hosts/a", ["reader"]],
    ["GET", "/v1/fleet", ["reader"]],
    ["GET", "/v1/explain", ["reader"]],
    ["POST", "/v1/explain", []],
    ["PUT", "/v1/hosts/a/policy", []],
    ["POST", "/v1/frontier/lease", ["edge"]],
    ["GET", "/v1/frontier/robots/aa", ["edge"]],
    ["POST", "/v1/frontier/enqueue", []],
    ["GET", "/v1/crawlsx", []],
    ["GET", "/anything/else", []],
  ];
  for (const [method, path, roles] of expected) assert.deepEqual(rolesFor(method, path), roles, `${method} ${path}`);
});

function asked(headers: Record<string, string>): string | undefined {
  return strangerProblem(new Request("http://127.0.0.1:7000/v1/crawls", { headers }), ["crawler.internal"]);
}

test("an open API answers under loopback names and those configured, whatever the port", () => {
  for (const host of ["127.0.0.1:7000", "localhost", "LOCALHOST:1", "[::1]:7000", "crawler.internal:80", "127.9.9.9"]) {
    assert.equal(asked({ host }), undefined, host);
  }
});

test("DNS rebinding and pages of other origins are refused", () => {
  for (const host of ["evil.example", "evil.example:7000", "127.0.0.1.evil.example", "localhost.evil.example", ""]) {
    assert.match(asked({ host }) ?? "", /answers only as/, host);
  }
  const host = "localhost:7000";
  for (
    const origin of ["https://evil.example", "http://localhost:8000", "null", "http://localhost:7000.evil.example"]
  ) {
    assert.match(asked({ host, origin }) ?? "", /another origin/, origin);
  }
  assert.match(asked({ host, "sec-fetch-site": "cross-site" }) ?? "", /another origin/);
  assert.equal(asked({ host, origin: "http://localhost:7000", "sec-fetch-site": "same-origin" }), undefined);
});
