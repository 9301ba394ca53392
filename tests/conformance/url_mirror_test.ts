/**
 * The keys beside those of eleven other canonicalisers: how many cases agree by which rules, and of what kind the others
 * are. Fails when a count changes, when a disagreement is of no known kind, or when docs/NORMALISATION.md is silent on it.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { NORMALIZE_RULES } from "../../core-wasm/mod.ts";
import { CORPORA_ABSENT } from "../support/corpora.ts";
import { KINDS } from "../support/canon_kinds.ts";
import { mirror, tally } from "../support/canon_mirror.ts";
import { test } from "../support/test.ts";

const DOCUMENT = readFileSync(new URL("../../docs/NORMALISATION.md", import.meta.url), "utf8");

/** Cases that agree: by the default rules; with one rule more or less; with all rules. */
const AGREE: Readonly<Record<string, number>> = {
  "the same text": 328,
  "the same key": 112,
  "with dropIndexFile": 26,
  "with collapseSlashes": 21,
  "without refuseUserinfo": 15,
  "with dropTrailingSlash": 12,
  "with stripWww": 12,
  "with stripSessions": 10,
  "with dropHostDot": 4,
  "all rules": 4,
  "all rules, userinfo kept": 3,
  "with lowerCase": 2,
};

const DISAGREE: Readonly<Record<string, number>> = {
  "no scheme": 29,
  "parameters chosen by the caller": 22,
  "userinfo dropped": 13,
  "characters escaped that the URL Standard lets stand": 12,
  "other schemes": 11,
  "hosts repaired or kept that are none": 11,
  "query in another charset": 8,
  "rules for one site": 7,
  "reserved characters decoded, once or until none is left": 6,
  "fragment read as query": 5,
  "sessions by looser patterns": 4,
  "scheme or port changed": 3,
  "several of the changes at once": 3,
  "equals sign of an empty value": 2,
  "refused there, allowed by the URL Standard": 2,
  "space as plus": 2,
  "escapes repaired": 1,
};

test("the counts of agreement and of each kind of disagreement", async () => {
  const all = await mirror();
  assert.deepEqual(Object.fromEntries(tally(all, true)), AGREE);
  assert.deepEqual(Object.fromEntries(tally(all, false)), DISAGREE);
}, { skip: CORPORA_ABSENT });

test("docs/NORMALISATION.md explains every rule and every kind of disagreement", () => {
  const missing = [...Object.keys(NORMALIZE_RULES).map((rule) => `\`${rule}\``), ...KINDS.map(({ name }) => name)]
    .filter((name) => !DOCUMENT.includes(name));
  assert.deepEqual(missing, []);
  for (const { example: [input, key] } of Object.values(NORMALIZE_RULES)) {
    assert.ok(DOCUMENT.includes(`\`${input}\``), input);
    assert.ok(key === "" || DOCUMENT.includes(`\`${key}\``), key);
  }
});
