import assert from "node:assert/strict";
import { z } from "@hono/zod-openapi";
import { test } from "../../tests/support/test.ts";
import { CrawlRequest } from "./crawl_schemas.ts";
import { issueText } from "./schema_issue.ts";

const told = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues.map(issueText);

test("what a schema refuses is told in words", () => {
  const seeds = ["https://example.org/"];
  const cases: [unknown, string[]][] = [
    [{}, ["seeds is missing, an array is wanted"]],
    [[], ["it is an array, an object is wanted"]],
    [{ seeds: [] }, ["seeds must have at least 1 item"]],
    [{ seeds: [""] }, ["seeds.0 must have at least 1 character"]],
    [{ seeds: null }, ["seeds is null, an array is wanted"]],
    [{ seeds, max_pages: "3" }, ["max_pages is a string, a number is wanted"]],
    [{ seeds, max_pages: 1.5 }, ["max_pages is a number, a whole number is wanted"]],
    [{ seeds, priority: 2 }, ["priority must be at most 1"]],
    [{ seeds, scope: { kind: "x" } }, ["scope.kind must be one of host, domain, prefix, any"]],
    [{ seeds, scope: { depth: 1 } }, ['no field "depth" is known in scope']],
    [{ seeds, foo: 1, bar: 2 }, ['no field "foo", "bar" is known']],
    [{ seeds, crawl_id: "A" }, ["crawl_id: 1 to 64 of a-z, 0-9, - and _ are wanted"]],
  ];
  for (const [body, wanted] of cases) assert.deepEqual(told(CrawlRequest, body), wanted);
  assert.deepEqual(told(z.coerce.number(), "x"), ["it is no number, a number is wanted"]);
});
