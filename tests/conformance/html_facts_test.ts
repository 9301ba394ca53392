/**
 * Facts of pages: robots rules as nutch's tests have them, and everything that the scan tells of html5lib's tree
 * construction documents, which are the hardest nestings there are, against parse5's tree.
 */

import assert from "node:assert/strict";
import { loadCore } from "../../core-wasm/mod.ts";
import { robotsTag } from "../../edge/steps/robots_tag.ts";
import { CORPORA_ABSENT, corpusLines } from "../support/corpora.ts";
import { test } from "../support/test.ts";
import { treeFacts } from "../support/tree_links.ts";

interface RobotsCase {
  readonly source: string;
  readonly html?: string;
  readonly url?: string;
  readonly x_robots_tag?: readonly string[] | null;
  readonly noindex: boolean;
  readonly nofollow: boolean;
  readonly base_href?: string | null;
}

interface TreeCase {
  readonly file: string;
  readonly data: string;
  /** The document is parsed as the content of this element: no page is. */
  readonly fragment?: string;
}

const encoder = new TextEncoder();
const core = await loadCore();

test("robots meta and X-Robots-Tag: noindex, nofollow and base as nutch's and stormcrawler's tests have them", () => {
  let compared = 0;
  for (const source of corpusLines<RobotsCase>("5-html/robots-meta.open.jsonl")) {
    compared++;
    if (source.html === undefined) {
      // A header, and so no part of a page: the edge reads it.
      const headers = (source.x_robots_tag ?? []).map((value) => ["X-Robots-Tag", value] as const);
      const { noindex, nofollow } = robotsTag(headers, "outrider");
      assert.deepEqual({ noindex, nofollow }, { noindex: source.noindex, nofollow: source.nofollow });
      continue;
    }
    const url = new URL(source.url!).href;
    const { noindex, nofollow, base } = core.scan(encoder.encode(source.html), { url });
    const wanted = { noindex: source.noindex, nofollow: source.nofollow, base: source.base_href ?? url };
    assert.deepEqual({ noindex, nofollow, base }, wanted, source.html);
  }
  assert.ok(compared >= 9, `only ${compared} were compared`);
}, { skip: CORPORA_ABSENT });

/** Documents whose visible text differs from the tree's, by why. Links, titles and languages are the same in all. */
const TEXT_DIFFERS: readonly { readonly why: string; readonly pattern: RegExp; readonly documents: number }[] = [
  { why: "text between a table's rows is moved before the table", pattern: /<table>/, documents: 6 },
  {
    why: "parse5 8.1 leaves out what a select can't hold; the standard lets it stand by now",
    pattern: /<select>/,
    documents: 2,
  },
  { why: "NUL is U+FFFD in foreign content; here it is dropped as elsewhere", pattern: /<svg>.*\0/s, documents: 3 },
  { why: "a head's noscript is ended by what can't be in it", pattern: /<noscript><plaintext>/, documents: 1 },
  { why: "the end of body divides words here", pattern: /<\/body>/, documents: 1 },
];

test("html5lib tree construction: the same links, title and language as the tree, and the same text", () => {
  const differing = TEXT_DIFFERS.map(() => 0);
  let compared = 0;
  for (const { data, fragment } of corpusLines<TreeCase>("5-html/html5lib-tree-construction.open.jsonl")) {
    if (fragment !== undefined || !data.isWellFormed()) continue;
    compared++;
    const url = "http://page.example/d/";
    const options = { url, contentType: "text/html; charset=utf-8" };
    const scanned = core.scan(encoder.encode(data), options);
    const tree = treeFacts(data, url);
    const kinds = (
      links: readonly { kind: string; url: string }[],
    ) => [...new Set(links.map((link) => `${link.kind} ${link.url}`))];
    assert.deepEqual(kinds(scanned.links).sort(), kinds(tree.links).sort(), JSON.stringify(data));
    assert.deepEqual([scanned.title, scanned.lang], [tree.title, tree.lang], JSON.stringify(data));
    if (scanned.textLength === encoder.encode(tree.text).length) continue;
    const reason = TEXT_DIFFERS.findIndex(({ pattern }) => pattern.test(data));
    assert.ok(reason >= 0, `${JSON.stringify(data)}: visible text differs from ${JSON.stringify(tree.text)}`);
    differing[reason]!++;
  }
  assert.deepEqual(differing, TEXT_DIFFERS.map(({ documents }) => documents));
  assert.ok(compared > 800, `only ${compared} were compared`);
}, { skip: CORPORA_ABSENT });
