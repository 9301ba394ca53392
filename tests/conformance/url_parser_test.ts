/**
 * The core's URL parser against the URL tests of web-platform-tests and ada. What is left out is listed with its reason.
 */

import assert from "node:assert/strict";
import { loadCore } from "../../core-wasm/mod.ts";
import { CORPORA_ABSENT, corpusText } from "../support/corpora.ts";
import { test } from "../support/test.ts";

interface UrlCase {
  readonly input: string;
  readonly base?: string | null;
  readonly href?: string;
  readonly failure?: boolean;
}

const core = await loadCore();

function cases(file: string): UrlCase[] {
  const all = JSON.parse(corpusText(`1-whatwg-url/${file}`)) as (UrlCase | string)[];
  return all.filter((entry): entry is UrlCase => typeof entry === "object");
}

function hrefOf({ input, base }: UrlCase): string | undefined {
  const facts = core.url(input, base ?? undefined);
  return "error" in facts ? undefined : facts.url;
}

function checkAll(file: string, least: number): void {
  const wrong = cases(file)
    .map((one) => ({ ...one, got: hrefOf(one) }))
    .filter((one) => one.got !== (one.failure ? undefined : one.href))
    .map(({ input, base, href, got }) => ({ input, base, wanted: href ?? "failure", got: got ?? "failure" }));
  assert.ok(cases(file).length >= least, `${file} holds fewer cases than it did`);
  assert.deepEqual(wrong, []);
}

const options = { skip: CORPORA_ABSENT };

test("urltestdata.json: every case", () => checkAll("urltestdata.json", 891), options);
test("urltestdata-javascript-only.json: every case", () => checkAll("urltestdata-javascript-only.json", 1), options);
test("ada_extra_urltestdata.json: every case", () => checkAll("ada_extra_urltestdata.json", 28), options);
test("ada_long_urltestdata.json: every case", () => checkAll("ada_long_urltestdata.json", 1), options);
