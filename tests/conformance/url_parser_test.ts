/**
 * The core's URL parser against the URL tests of web-platform-tests and ada. What is left out is listed with its reason.
 */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { loadCore } from "../../core-wasm/mod.ts";
import { CORPORA_ABSENT, corpusPath, corpusText } from "../support/corpora.ts";
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

/** Every file of 1-whatwg-url: where it is run, or why it isn't. */
const FILES: Readonly<Record<string, string>> = {
  "urltestdata.json": "here",
  "urltestdata-javascript-only.json": "here",
  "ada_extra_urltestdata.json": "here",
  "ada_long_urltestdata.json": "here",
  "data-urls.json":
    "not run: bodies of data: URLs, which are never fetched; how such URLs parse is in urltestdata.json",
  "IdnaTestV2.json": "url_idna_test.ts",
  "IdnaTestV2-removed.json": "url_idna_test.ts",
  "toascii.json": "url_idna_test.ts",
  "verifydnslength_tests.json": "url_idna_test.ts",
  "punycode_tests.json": "url_idna_test.ts",
  "bad_punycode_tests.json": "url_idna_test.ts",
  "percent-encoding.json": "charset_test.ts",
  "base64.json": "not run: bodies of data: URLs, which are never fetched",
  "mime-types.json": "not run: MIME types of data: URLs; those of responses are read by edge/steps/scan.ts",
};

test("no file of 1-whatwg-url is overlooked", () => {
  assert.deepEqual(readdirSync(corpusPath("1-whatwg-url")).sort(), Object.keys(FILES).sort());
}, options);
