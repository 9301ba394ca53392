import assert from "node:assert/strict";
import { test } from "../tests/support/test.ts";
import { Backlog } from "./backlog.ts";

test("backlog: who waits for room gets it when enough is done, by success or failure", async () => {
  const backlog = new Backlog(100);
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  await backlog.room();
  backlog.hold(150, first.promise);
  const failing = backlog.hold(80, second.promise);
  let admitted = 0;
  const waits = [1, 2].map(() => backlog.room().then(() => admitted++));
  first.resolve();
  await first.promise;
  await Promise.resolve();
  assert.deepEqual([backlog.bytes, admitted], [80, 0]);
  await Promise.all(waits);
  assert.equal(admitted, 2);
  second.reject(new Error("disk"));
  await assert.rejects(failing);
  assert.equal(backlog.bytes, 0);
});

test("backlog: an answer larger than the bound passes", async () => {
  const backlog = new Backlog(10);
  await backlog.room();
  const work = Promise.withResolvers<number>();
  const held = backlog.hold(1_000, work.promise);
  const room = backlog.room();
  work.resolve(7);
  assert.equal(await held, 7);
  await room;
});
