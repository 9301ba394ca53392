import assert from "node:assert/strict";
import { test } from "../tests/support/test.ts";
import { testCore } from "../tests/support/frontier.ts";
import { checkSeeds } from "./crawl_plan.ts";

test("seeds: for one whose scheme was left out the URL that may be meant is told", async () => {
  const core = await testCore();
  const said = (seed: string) => {
    try {
      checkSeeds([seed], core);
      return "";
    } catch (error) {
      return /Perhaps (\S+)/.exec((error as Error).message)?.[1];
    }
  };
  const meant = (...seeds: string[]) => seeds.map(said);
  assert.deepEqual(meant("example.com", "127.0.0.1:8080/x?y", "localhost:8080"), [
    "https://example.com",
    "https://127.0.0.1:8080/x?y",
    "https://localhost:8080",
  ]);
  assert.deepEqual(meant("htp://foo", "mailto:a@b.example", "/path", "a b"), [
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  assert.equal(said("https://example.com/"), "");
});
