/**
 * Internationalised hosts against IdnaTestV2 (UTS 46), toascii.json and ada's Punycode cases, through whole URLs.
 */

import assert from "node:assert/strict";
import { loadCore } from "../../core-wasm/mod.ts";
import { CORPORA_ABSENT, corpusText } from "../support/corpora.ts";
import { test } from "../support/test.ts";

interface IdnaCase {
  readonly comment?: string;
  readonly input: string;
  readonly output: string | null;
}

interface LengthCase {
  readonly input: string;
  readonly failure?: boolean;
}

const core = await loadCore();

/** The host of a URL made with `input`, as wpt's toascii.window.js makes it; null when it is refused. */
function hostOf(input: string): string | null {
  const facts = core.url(`https://${input}/x`);
  return "error" in facts ? null : facts.host;
}

/** The empty host: `https:///x` is `https://x/`, so it says nothing of hosts. */
const LEFT_OUT = new Set([""]);

function checkAll(file: string, least: number): void {
  const all = (JSON.parse(corpusText(`1-whatwg-url/${file}`)) as (IdnaCase | string)[])
    .filter((entry): entry is IdnaCase => typeof entry === "object" && !LEFT_OUT.has(entry.input));
  const wrong = all
    .map((one) => ({ ...one, got: hostOf(one.input) }))
    .filter(({ output, got }) => got !== output);
  assert.ok(all.length >= least, `${file} holds fewer cases than it did`);
  assert.deepEqual(wrong, []);
}

const options = { skip: CORPORA_ABSENT };

test("IdnaTestV2.json: every case", () => checkAll("IdnaTestV2.json", 2600), options);
test("IdnaTestV2-removed.json: every case", () => checkAll("IdnaTestV2-removed.json", 15), options);
test("toascii.json: every case", () => checkAll("toascii.json", 80), options);

interface PunycodeCase {
  readonly decoded: string;
  readonly encoded: string;
}

test("punycode_tests.json, bad_punycode_tests.json: as labels of hosts, both ways", () => {
  const cases = ["punycode_tests.json", "bad_punycode_tests.json"]
    .flatMap((file) => JSON.parse(corpusText(`1-whatwg-url/${file}`)) as PunycodeCase[]);
  let labels = 0;
  for (const { decoded, encoded = "" } of cases) {
    // Spaces and angle brackets are no part of a host, and nothing is no label.
    if (/[ <>]/.test(decoded) || decoded === "") {
      if (decoded !== "") assert.equal(hostOf(decoded.replaceAll("%", "%25")), null);
      continue;
    }
    labels++;
    const isAscii = /^[\0-\x7f]*$/.test(decoded);
    assert.equal(hostOf(decoded), isAscii ? decoded.toLowerCase() : `xn--${encoded.toLowerCase()}`);
    // ASCII labels are only lower-cased, whatever they say (URL Standard 3.3, "domain to ASCII", step 1).
    assert.equal(hostOf(`xn--${encoded}`), `xn--${encoded.toLowerCase()}`);
  }
  assert.equal(labels, cases.length - 4);
}, options);

test("verifydnslength_tests.json: the crawl's door holds hosts to DNS's bounds", () => {
  const all = JSON.parse(corpusText("1-whatwg-url/verifydnslength_tests.json")) as (string | LengthCase)[];
  const cases = all.filter((entry): entry is LengthCase => typeof entry === "object");
  const batch = core.urls(cases.map((one) => one.input));
  const wrong = cases.filter((one, i) => batch.ok(i) !== (one.failure !== true)).map((one) => one.input);
  assert.ok(cases.length >= 16);
  assert.deepEqual(wrong, []);
}, options);

test("characters that are new in Unicode 17 have their properties", () => {
  // Sidetic letters are written from right to left, so they may not be mixed with letters that aren't.
  assert.equal(hostOf("\u{10943}\u{10ad5}"), "xn--tl9cy0a");
  assert.equal(hostOf("\u{1094d}\u{119b0}\u{11a12}"), null);
  // New marks can't begin a label, and are put in canonical order.
  assert.equal(hostOf("\u{1acf}a"), null);
  assert.equal(hostOf("x\u{1acf}\u{1add}"), hostOf("x\u{1add}\u{1acf}"));
});
