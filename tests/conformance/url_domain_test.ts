/**
 * Registered domains against the public suffix list's own vectors and those of crawler-commons and webarchive-commons.
 * A name without a registered domain (a suffix, a bare name) is its own, where the vectors say null.
 */

import assert from "node:assert/strict";
import { loadCore } from "../../core-wasm/mod.ts";
import { CORPORA_ABSENT, corpusLines } from "../support/corpora.ts";
import { test } from "../support/test.ts";

interface DomainCase {
  readonly source: string;
  readonly op: string;
  readonly input: string | null;
  readonly expected: string | null;
}

const core = await loadCore();

/** Host and domain of a URL made with the name. */
function factsOf(name: string): { host: string; domain: string } | undefined {
  const facts = core.url(`http://${name}/`);
  return "error" in facts ? undefined : facts;
}

/** Names that no URL has as its host: a dot at the start is an empty label, which no list speaks of. */
function isHost(input: string | null): input is string {
  return input !== null && !input.startsWith(".");
}

function wrongOnes(cases: readonly DomainCase[]): unknown[] {
  return cases.flatMap(({ source, input, expected }) => {
    const facts = factsOf(input!);
    const wanted = expected === null ? facts?.host : factsOf(expected)?.host;
    return facts?.domain === wanted ? [] : [{ source, input, wanted, got: facts?.domain }];
  });
}

const all = CORPORA_ABSENT ? [] : corpusLines<DomainCase>("7-psl/cases.jsonl");
const registrable = all.filter((one) => one.op === "registrable_domain" && isHost(one.input));

test("the public suffix list's vectors", () => {
  assert.ok(registrable.length >= 74, `only ${registrable.length} cases are left`);
  assert.deepEqual(wrongOnes(registrable), []);
}, { skip: CORPORA_ABSENT });
