import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { Turns } from "./turns.ts";

test("turns: never more than allowed at once, in order, and a failure frees its turn", async () => {
  const turns = new Turns(2);
  const started: number[] = [];
  let open = 0;
  let most = 0;
  const works = Array.from({ length: 9 }, (_, index) =>
    turns.take(async () => {
      started.push(index);
      most = Math.max(most, ++open);
      await Promise.resolve();
      open--;
      if (index % 3 === 0) throw new Error(`${index}`);
      return index;
    }));
  const ends = await Promise.allSettled(works);
  assert.deepEqual(started, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  assert.equal(most, 2);
  assert.deepEqual(ends.map(({ status }) => status === "fulfilled"), Array.from({ length: 9 }, (_, i) => i % 3 !== 0));
  assert.equal(await turns.take(() => Promise.resolve("free")), "free");
});
