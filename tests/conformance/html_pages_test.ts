/**
 * Real pages: the core's scan against parse5's tree and the platform's URL class: links, base, title, language,
 * canonical, robots rules, and the visible text by its hash. What differs is listed with its reason.
 */

import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { loadCore } from "../../core-wasm/mod.ts";
import type { Core, PageFacts } from "../../core-wasm/mod.ts";
import { CORPORA_ABSENT, corpusBytes } from "../support/corpora.ts";
import { test } from "../support/test.ts";
import { type TreeFacts, treeFacts } from "../support/tree_links.ts";

const SETS = ["htmlparser-benchmark", "readability", "trafilatura-cache"];
const PAGE_URL = "http://page.example/dir/page.html?q=1";

/** Why the visible text of some pages differs, each with the smallest page that shows it: its text here and in the tree. */
const REASONS = {
  noscript: {
    why:
      "a head's noscript is ended by what can't be in it, so that its rest is text; the scan leaves it with its end tag",
    html: "<head><noscript><meta name=a><p>x</p></noscript></head><body>y",
    here: "y",
    tree: "x y",
  },
  table: {
    why: "text between table rows is moved before the table; the scan keeps the source's order",
    html: "<table><tr><td>a</td></tr>b<tr><td>c</td></tr></table>",
    here: "a b c",
    tree: "b a c",
  },
} as const;

/** Pages whose visible text differs: by the first letters of their id. */
const TEXT_DIFFERS: Readonly<Record<string, keyof typeof REASONS>> = {
  "06ed": "noscript",
  "b9a6": "noscript",
  "72ec": "table",
  "7e2d": "table",
  "8d61": "table",
  "a9c5": "table",
};

interface Page {
  readonly id: string;
  readonly html?: string;
  readonly html_base64?: string;
}

function* pages(): Generator<Page> {
  for (const set of SETS) {
    const lines = new TextDecoder().decode(gunzipSync(corpusBytes(`8-pages/${set}.jsonl.gz`))).split("\n");
    for (const line of lines) if (line !== "") yield JSON.parse(line) as Page;
  }
}

const encoder = new TextEncoder();

/** Its bytes, and how they are served: pages that aren't UTF-8 say nothing of their charset. */
function served({ html, html_base64 = "" }: Page): { bytes: Uint8Array; contentType?: string } {
  if (html !== undefined) return { bytes: encoder.encode(html), contentType: "text/html; charset=utf-8" };
  return { bytes: Uint8Array.from(atob(html_base64), (letter) => letter.charCodeAt(0)) };
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

function isSameText(core: Core, facts: PageFacts, treeText: string): boolean {
  const text = encoder.encode(treeText);
  const isSame = core.xxh64(text) === facts.textHash && text.length === facts.textLength;
  if (isSame) assert.equal(core.simhash(text), facts.simhash);
  return isSame;
}

test("real pages, all of them: the scan finds what a tree and the URL class find", async () => {
  const core = await loadCore();
  let compared = 0;
  let links = 0;
  for (const page of pages()) {
    const { id } = page;
    const { bytes, ...options } = served(page);
    const scanned = core.scan(bytes, { url: PAGE_URL, maxBytes: bytes.length, ...options });
    const tree = treeFacts(new TextDecoder(scanned.charset).decode(bytes), PAGE_URL);
    assert.equal(scanned.truncated, false, id);
    assert.deepEqual(distinct(scanned.links), distinct(tree.links), id);
    assert.deepEqual(factsOf(scanned), factsOf(tree), id);
    assert.equal(scanned.title, tree.title, id);
    const differs = Object.keys(TEXT_DIFFERS).some((prefix) => id.startsWith(prefix));
    assert.equal(isSameText(core, scanned, tree.text), !differs, `${id}: visible text`);
    compared++;
    links += tree.links.length;
  }
  assert.ok(compared >= 498 && links > 60_000, `only ${compared} pages with ${links} links were compared`);
}, { skip: CORPORA_ABSENT, timeoutMs: 300_000 });

for (const [name, { why, html, here, tree }] of Object.entries(REASONS)) {
  test(`visible text, ${name}: ${why}`, async () => {
    const core = await loadCore();
    const scanned = core.scan(encoder.encode(html), { url: PAGE_URL });
    assert.equal(treeFacts(html, PAGE_URL).text, tree);
    assert.ok(isSameText(core, scanned, here));
  });
}
