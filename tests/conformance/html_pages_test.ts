/**
 * Real pages: the core's scan against parse5's tree and the platform's URL class: links, base, title, language,
 * canonical, robots rules, and the visible text by its hash. What differs is listed with its reason.
 */

import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { loadCore } from "../../core-wasm/mod.ts";
import type { PageFacts } from "../../core-wasm/mod.ts";
import { CORPORA_ABSENT, corpusBytes } from "../support/corpora.ts";
import { test } from "../support/test.ts";
import { type TreeFacts, treeFacts } from "../support/tree_links.ts";

const SETS = ["htmlparser-benchmark", "readability", "trafilatura-cache"];
/** Every n-th page is compared; all of them take parse5 some seconds. */
const STEP = 4;
const PAGE_URL = "http://page.example/dir/page.html?q=1";

/** Pages whose visible text differs: by the first letters of their id. */
const TEXT_DIFFERS: Readonly<Record<string, string>> = {
  "06ed":
    "a head's noscript is ended by what can't be in it, so that its rest is text; the scan leaves it with its end tag",
  "b9a6": "as 06ed",
  "72ec": "text between table rows is moved before the table; the scan keeps the source's order",
  "7e2d": "as 72ec",
  "8d61": "as 72ec",
  "a9c5": "as 72ec",
};

interface Page {
  readonly id: string;
  readonly html: string;
}

function* pages(): Generator<Page> {
  for (const set of SETS) {
    const lines = new TextDecoder().decode(gunzipSync(corpusBytes(`8-pages/${set}.jsonl.gz`))).split("\n");
    for (let i = 0; i < lines.length; i += STEP) {
      const page = JSON.parse(lines[i] || "{}") as Partial<Page>;
      // Pages that aren't UTF-8 stand there as base64: charset_test.ts has such.
      if (page.id !== undefined && page.html !== undefined) yield { id: page.id, html: page.html };
    }
  }
}

/**
 * A set, since a tree repeats the links of formatting elements that it reopens; `^` as the URL Standard has it now,
 * which not every runtime's URL class does.
 */
function distinct(links: readonly { url: string; kind: string }[]): string[] {
  return [...new Set(links.map(({ url, kind }) => `${kind} ${url.replaceAll("^", "%5E")}`))].sort();
}

function factsOf({ base, lang, canonical, noindex, nofollow }: TreeFacts | PageFacts) {
  return { base, lang, canonical, noindex, nofollow };
}

test("real pages: the scan finds what a tree and the URL class find", async () => {
  const core = await loadCore();
  const encoder = new TextEncoder();
  let compared = 0;
  let links = 0;
  for (const { id, html } of pages()) {
    const bytes = encoder.encode(html);
    const scanned = core.scan(bytes, {
      url: PAGE_URL,
      contentType: "text/html; charset=utf-8",
      maxBytes: bytes.length,
    });
    const tree = treeFacts(html, PAGE_URL);
    assert.equal(scanned.truncated, false, id);
    assert.deepEqual(distinct(scanned.links), distinct(tree.links), id);
    assert.deepEqual(factsOf(scanned), factsOf(tree), id);
    assert.equal(scanned.title, tree.title, id);
    const text = encoder.encode(tree.text);
    const isSame = core.xxh64(text) === scanned.textHash && text.length === scanned.textLength;
    assert.equal(isSame, !Object.keys(TEXT_DIFFERS).some((prefix) => id.startsWith(prefix)), `${id}: visible text`);
    if (isSame) assert.equal(core.simhash(text), scanned.simhash, id);
    compared++;
    links += tree.links.length;
  }
  assert.ok(compared > 100 && links > 15_000, `only ${compared} pages with ${links} links were compared`);
}, { skip: CORPORA_ABSENT, timeoutMs: 120_000 });
