import assert from "node:assert/strict";
import { silentLog } from "../../../tests/support/frontier.ts";
import { test } from "../../../tests/support/test.ts";
import { WorkerBook } from "./worker_book.ts";

const request = (worker_id: string, unhealthy?: string) => ({
  worker_id,
  region: "eu",
  max: 0,
  max_leases: 0,
  holding: 0,
  ...(unhealthy === undefined ? {} : { unhealthy }),
});

test("workers: an edge is unhealthy from its first word to the next request without one", () => {
  const said: string[] = [];
  const book = new WorkerBook({ ...silentLog, warn: (line) => said.push(line), info: (line) => said.push(line) });
  book.asked(request("b"), 1_000);
  book.asked(request("a", "The disk is full."), 1_000);
  book.asked(request("a", "The disk is full."), 4_000);
  assert.deepEqual(book.views(5_000, (worker) => worker === "b" ? 3 : 0), [
    { worker: "a", region: "eu", leases: 0, askedAgoMs: 1_000, unhealthy: "The disk is full.", unhealthyForMs: 4_000 },
    { worker: "b", region: "eu", leases: 3, askedAgoMs: 4_000 },
  ]);
  assert.equal(book.trouble(5_000), "", "b is well");
  assert.equal(book.trouble(62_000), "waiting: edge a is unhealthy: The disk is full.", "b is gone");
  book.asked(request("b", "No resolver answers."), 62_000);
  assert.match(book.trouble(62_000), /^waiting: all 2 edges are unhealthy: /);
  book.asked(request("a"), 63_000);
  assert.deepEqual([book.trouble(63_000), said], ["", ["edge_unhealthy", "edge_unhealthy", "edge is healthy again"]]);
});

test("workers: as many as there may be are known, and silent ones are forgotten", () => {
  const book = new WorkerBook(silentLog);
  for (let i = 0; i < 3_000; i++) book.asked(request(`w${i}`), i);
  assert.equal(book.views(3_000, () => 0).length, 1_024);
  book.asked(request("new", "x".repeat(10_000)), 4_000_000);
  const views = book.views(4_000_000, () => 0);
  assert.deepEqual(views.map(({ worker, unhealthy }) => [worker, unhealthy!.length]), [["new", 500]]);
});
