/** Batches whose strings aren't ASCII: where each ends is counted in units by the host, and turned into bytes by the core. */

import assert from "node:assert/strict";
import { test } from "../tests/support/test.ts";
import { loadCore } from "./mod.ts";

const core = await loadCore();

/** Each URL of a batch has the key that it has alone. */
function sameAsAlone(inputs: readonly string[]): void {
  const batch = core.urls(inputs);
  assert.deepEqual(
    inputs.map((_, i) => batch.ok(i) ? batch.key(i) : ""),
    inputs.map((input) => {
      const facts = core.url(input);
      return "error" in facts ? "" : facts.key;
    }),
  );
}

test("url inputs: what an earlier, longer batch left behind doesn't lengthen the last URL of the next", () => {
  core.urls([`http://e.org/${"漢".repeat(400)}`, "http://e.org/é"]);
  sameAsAlone(["http://e.org/ß", "http://e.org/\u{1f600}", "http://e.org/é"]);
  core.urls([`http://e.org/${"\u0080".repeat(400)}`]);
  sameAsAlone(["http://e.org/ü"]);
});

test("url inputs: characters of one to four bytes, at every place in a block of sixteen", () => {
  for (let shift = 0; shift < 17; shift++) {
    const head = `http://e.org/${"x".repeat(shift)}`;
    sameAsAlone([`${head}é`, `${head}漢字`, `${head}\u{1f600}\u{1f601}`, head, `${head}aé漢\u{1f600}`]);
  }
});

test("url inputs: halves of a pair that two strings bring together stay halves", () => {
  sameAsAlone(["http://e.org/\ud83d", "\ude00http://e.org/", "http://e.org/\ude00", "http://e.org/é\ud83d"]);
});

test("url inputs: a batch goes on telling of its own URLs when the caller fills its array anew", () => {
  const unchanged = "http://e.org/a";
  const inputs = [unchanged, "http://E.org/b?", "mailto:x"];
  const batch = core.urls(inputs);
  inputs.fill("https://other.example/c");
  inputs.length = 1;
  assert.deepEqual([batch.href(0), batch.key(0), batch.host(0)], [unchanged, unchanged, "e.org"]);
  assert.deepEqual([batch.href(1), batch.key(1), batch.host(1)], ["http://e.org/b?", "http://e.org/b", "e.org"]);
  assert.match(batch.why(2), /"mailto:x"/);
});
