/**
 * Charsets against html5lib's and html-encoding-sniffer's tests, the label table, and encoders against the URL tests of
 * web-platform-tests. Those sniffers fall back to windows-1252 where nothing is declared; so does this project, but only
 * for pages that aren't valid UTF-8: so it is the declared charset that is compared.
 */

import assert from "node:assert/strict";
import { charsetOf, declaredCharset, lateCharset } from "../../core-wasm/charset.ts";
import { loadCore } from "../../core-wasm/mod.ts";
import { CORPORA_ABSENT, corpusLines, corpusText } from "../support/corpora.ts";
import { test } from "../support/test.ts";

interface SniffCase {
  readonly file: string;
  readonly encoding: string;
  readonly data?: string;
  readonly data_base64?: string;
  readonly notes?: string;
}

/** Declared behind the prescan's 1,024 bytes: `lateCharset` finds it where the page's bytes need it. */
const LATE = "tests1.dat";

const FALLBACK = "windows-1252";
const encoder = new TextEncoder();

function bytesOf(source: SniffCase): Uint8Array {
  if (source.data !== undefined) return encoder.encode(source.data);
  return Uint8Array.from(atob(source.data_base64 ?? ""), (letter) => letter.charCodeAt(0));
}

test("charset: BOM, prescan and header as html5lib and html-encoding-sniffer have them", () => {
  const failures: string[] = [];
  let compared = 0;
  for (const source of corpusLines<SniffCase>("5-html/encoding-sniff.open.jsonl")) {
    const page = bytesOf(source);
    compared++;
    const isLate = source.file === LATE && page.length > 8000;
    const found = (isLate ? lateCharset(page) : declaredCharset(page, undefined)?.name) ?? FALLBACK;
    if (found !== charsetOf(source.encoding)) {
      failures.push(`${source.file} (${page.length} bytes): found ${found}, wanted ${source.encoding}`);
    }
    const transported = declaredCharset(page, "text/html; charset=windows-1251")?.name;
    const wanted = /BOM wins/.test(source.notes ?? "") ? charsetOf(source.encoding) : "windows-1251";
    if (source.notes?.includes("windows-125") && transported !== wanted) {
      failures.push(`${source.file} with a header: found ${transported}, wanted ${wanted}`);
    }
  }
  assert.deepEqual(failures, []);
  assert.ok(compared >= 40, `only ${compared} were compared`);
}, { skip: CORPORA_ABSENT });

test("charset: every WHATWG label names its encoding", () => {
  const groups = JSON.parse(corpusText("5-html/encodings.json")) as {
    encodings: { name: string; labels: string[] }[];
  }[];
  let labels = 0;
  for (const { name, labels: own } of groups.flatMap((group) => group.encodings)) {
    for (const label of own) {
      labels++;
      assert.equal(charsetOf(`\t ${label.toUpperCase()}\n`), name.toLowerCase());
    }
  }
  assert.equal(labels, 228);
}, { skip: CORPORA_ABSENT });

test("charset: queries are encoded as web-platform-tests has them", async () => {
  const core = await loadCore();
  const cases = JSON.parse(corpusText("1-whatwg-url/percent-encoding.json")) as (
    | string
    | { input: string; output: Record<string, string> }
  )[];
  let compared = 0;
  for (const source of cases) {
    if (typeof source === "string") continue;
    for (const [charset, wanted] of Object.entries(source.output)) {
      compared++;
      // As references, so that the page itself is ASCII whatever its charset.
      const references = Array.from(source.input, (letter) => `&#${letter.codePointAt(0)};`).join("");
      const page = encoder.encode(`<a href="http://e.org/?${references}">`);
      const [link] = core.scan(page, { url: "http://e.org/", contentType: `text/html; charset=${charset}` }).links;
      assert.equal(link?.url, `http://e.org/?${wanted}`, `${JSON.stringify(source.input)} in ${charset}`);
    }
  }
  assert.ok(compared >= 12, `only ${compared} were compared`);
}, { skip: CORPORA_ABSENT });
