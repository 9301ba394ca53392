import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { SeenContent } from "./dedup.ts";

const page = (url: string, contentHash: string, crawlId = "a") => ({ crawlId, url, contentHash, length: 1000 });

test("dedup: the second URL with the same body is a duplicate of the first", () => {
  const seen = new SeenContent();
  assert.deepEqual(seen.judge(page("http://h/1", "x"), undefined), { kind: "novel" });
  assert.deepEqual(seen.judge(page("http://h/2", "x"), undefined), { kind: "duplicate", of: "http://h/1" });
  assert.deepEqual(
    seen.judge(page("http://h/1", "x"), undefined),
    { kind: "novel" },
    "a retry isn't its own duplicate",
  );
  assert.deepEqual(seen.judge(page("http://h/2", "x", "b"), undefined), { kind: "novel" }, "crawls are apart");
});

test("dedup: the same body as the capture before is unchanged", () => {
  const history = {
    content_hash: "x",
    record: { storage_key: "w", offset: 0, length: 1 },
    fetched_at: 0,
    payload_digest: "",
  };
  assert.deepEqual(new SeenContent().judge(page("http://h/1", "x"), history), { kind: "unchanged" });
});

test("dedup: tiny bodies are never duplicates", () => {
  const seen = new SeenContent();
  seen.judge({ ...page("http://h/1", "e"), length: 0 }, undefined);
  assert.deepEqual(seen.judge({ ...page("http://h/2", "e"), length: 0 }, undefined), { kind: "novel" });
});
