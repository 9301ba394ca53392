import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { keyOf, urlRow } from "../../tests/support/shard_rows.ts";
import type { UrlKey, UrlRow } from "../ports.ts";
import { groupedLookUps } from "./grouped_lookups.ts";

/** A store whose answers wait for `answer`. */
function heldStore(rows: readonly UrlRow[]) {
  const asked: { readonly keys: readonly UrlKey[]; readonly answer: (error?: Error) => void }[] = [];
  const lookUp = (keys: readonly UrlKey[]) =>
    new Promise<(UrlRow | undefined)[]>((resolve, reject) => {
      const found = () => keys.map((key) => rows.find((row) => row.fingerprint === key.fingerprint));
      asked.push({ keys, answer: (error) => (error === undefined ? resolve(found()) : reject(error)) });
    });
  return { asked, lookUp };
}

const settled = () => new Promise<void>((resolve) => void setTimeout(resolve));

test("look-ups that come while one is under way go together, and each gets its own answers", async () => {
  const rows = [1, 2, 3, 4].map((seq) => urlRow(seq));
  const { asked, lookUp } = heldStore(rows);
  const grouped = groupedLookUps(lookUp);
  const first = grouped([keyOf(rows[0]!)]);
  const second = grouped([keyOf(rows[1]!), keyOf(urlRow(99)), keyOf(rows[2]!)]);
  const none = grouped([]);
  const third = grouped([keyOf(rows[3]!)]);
  assert.equal(asked.length, 1);
  asked[0]!.answer();
  assert.deepEqual(await first, [rows[0]]);
  await settled();
  assert.deepEqual(asked.map(({ keys }) => keys.length), [1, 4]);
  asked[1]!.answer();
  assert.deepEqual(await second, [rows[1], undefined, rows[2]]);
  assert.deepEqual(await none, []);
  assert.deepEqual(await third, [rows[3]]);
});

test("a look-up that fails is told to those who waited for it, and the next is asked anew", async () => {
  const { asked, lookUp } = heldStore([urlRow(1)]);
  const grouped = groupedLookUps(lookUp);
  const first = grouped([keyOf(urlRow(1))]);
  const second = grouped([keyOf(urlRow(1))]);
  asked[0]!.answer(new Error("no disk"));
  await assert.rejects(first, /no disk/);
  await settled();
  asked[1]!.answer();
  assert.deepEqual(await second, [urlRow(1)]);
  const third = grouped([keyOf(urlRow(1))]);
  await settled();
  asked[2]!.answer();
  assert.deepEqual(await third, [urlRow(1)]);
});
