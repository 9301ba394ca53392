/**
 * Random pages: the scan's links against parse5's tree, and that no bytes whatever trap it, change its answer, or make
 * it slow. The seeds are fixed: the scan has no tree, and core-wasm/README.md names the rare nestings that it gets wrong.
 */

import assert from "node:assert/strict";
import fc from "fast-check";
import { loadCore } from "../../core-wasm/mod.ts";
import { test } from "../support/test.ts";
import { treeFacts } from "../support/tree_links.ts";

const SEED = 20_261_130;
const PAGE_URL = "http://page.example/d/";

/** `N` is replaced by a number of its own. */
const PIECES = [
  ..."<a href=uN>|<a xlink:href=uN>|</a>|<area href=uN>|<link rel=next href=uN>|<img src=uN>|<iframe src=uN>|<base href=bN/>"
    .split("|"),
  ..."<meta http-equiv=refresh content='1;url=uN'>|<!-- <a href=uN> -->|<a href='&amp;N'>|<a href=\"?a&b=N\">|<a href=uN/>"
    .split("|"),
  ..."<p>|</p>|<div>|</div>|<b>|</b>|<span>|</span>|<br>|<table>|<tr>|<td>|</td>|</table>|<form>|<button>|<font color=x>"
    .split("|"),
  ..."<svg>|</svg>|<svg/>|<g>|</g>|<path/>|<foreignObject>|</foreignObject>|<math>|</math>|<annotation-xml>|<![CDATA[|]]>"
    .split("|"),
  ..."<title>|</title>|<style>|</style>|<script>|</script>|<template>|</template>|<textarea>|</textarea>|<xmp>|</xmp>"
    .split("|"),
  ..."<noembed>|</noembed>|</iframe>|<plaintext>|<head>|</head>|<body>|text|&amp;".split("|"),
];

const encoder = new TextEncoder();
const pages = fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((pieces) =>
  `<!doctype html>${pieces.map((piece, index) => piece.replace("N", String(index))).join("")}`
);

function linksOf({ links }: { links: readonly { kind: string; url: string }[] }): string[] {
  return [...new Set(links.map(({ kind, url }) => `${kind} ${url}`))].sort();
}

test("property: random pages have the links of parse5's tree", async () => {
  const core = await loadCore();
  const property = fc.property(pages, (html) => {
    const scanned = core.scan(encoder.encode(html), { url: PAGE_URL });
    const tree = treeFacts(html, PAGE_URL);
    assert.deepEqual(linksOf(scanned), linksOf(tree));
    assert.equal(scanned.base, tree.base);
  });
  fc.assert(property, { seed: SEED, numRuns: 4000 });
});

test("property: any bytes have facts, the same ones each time", async () => {
  const core = await loadCore();
  const other = await loadCore();
  const markup = pages.map((html) => encoder.encode(html));
  const mutated = fc.tuple(markup, fc.uint8Array({ maxLength: 12 }), fc.nat(), fc.boolean()).map(
    ([page, noise, place, isCut]) => {
      const at = place % (page.length + 1);
      return Uint8Array.from([...page.subarray(0, at), ...noise, ...(isCut ? [] : page.subarray(at))]);
    },
  );
  const options = { url: PAGE_URL, embeds: true, forms: true, productToken: "outrider" };
  const property = fc.property(fc.oneof(mutated, fc.uint8Array({ maxLength: 300 })), (bytes) => {
    const once = core.scan(bytes, options);
    const again = other.scan(bytes, options);
    assert.deepEqual(again, once);
    assert.deepEqual(again.links, once.links);
    assert.equal(once.truncated, false);
    for (const { url } of once.links) assert.match(url, /^[a-z][a-z0-9+.-]*:[\x20-\x7e]*$/);
    for (const { url } of once.outlinks()) assert.match(url, /^https?:\/\/[^#]*$/);
  });
  fc.assert(property, { seed: SEED, numRuns: 3000 });
});

/** What a page can repeat to make a scanner slow. */
const REPEATED = [
  "<",
  "<a ",
  "<!--",
  "<!",
  "</",
  "&",
  "&#",
  "<a href=x ",
  "<svg>",
  "<![CDATA[",
  "<script><!--<script>",
  "<template>",
  '="',
  "]]",
  "<title>",
  "x\0",
  "<a b='",
];

test("property: time is linear in the page", async () => {
  const core = await loadCore();
  for (const piece of REPEATED) {
    const bytes = encoder.encode(piece.repeat(Math.ceil(1_000_000 / piece.length)));
    const startedAt = performance.now();
    core.scan(bytes, { url: PAGE_URL, embeds: true });
    const tookMs = performance.now() - startedAt;
    // A quadratic scan of a megabyte takes minutes.
    assert.ok(tookMs < 5_000, `${JSON.stringify(piece)} took ${tookMs} ms`);
  }
});
