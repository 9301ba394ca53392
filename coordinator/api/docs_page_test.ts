import assert from "node:assert/strict";
import { apiClient } from "../../tests/support/api_client.ts";
import { apiParts, READER_TOKEN } from "../../tests/support/api_parts.ts";
import { withControlPlane } from "../../tests/support/control_plane.ts";
import { test } from "../../tests/support/test.ts";
import { docsPage } from "./docs_page.ts";

test("docs: every route of the OpenAPI document is on the page, every link leads somewhere, nothing is loaded", async () => {
  await withControlPlane(async (plane) => {
    const ask = apiClient(apiParts(plane));
    const { body: document } = await ask("GET /openapi.json");
    const { status, headers, body: page } = await ask("GET /docs", { token: READER_TOKEN });
    assert.deepEqual([status, headers.get("content-type")], [200, "text/html; charset=UTF-8"]);
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const method of Object.keys(operations as object)) {
        assert.ok(page.includes(`<code>${method.toUpperCase()} ${path}</code>`), `${method} ${path}`);
      }
    }
    for (const [, name] of page.matchAll(/href="#([^"]*)"/g)) assert.ok(page.includes(`id="${name}"`), name);
    assert.doesNotMatch(page, /<script|src=|https?:\/\//);
  });
});

test("docs: texts are escaped", () => {
  const page = docsPage({
    info: { title: "<b>", version: '"' },
    paths: { "/<x>": { get: { summary: "a & b", parameters: [{ name: "<i>", in: "query" }] } } },
  });
  assert.doesNotMatch(page, /<b>|<x>|<i>/);
  assert.match(page, /a &amp; b/);
});
