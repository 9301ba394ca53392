/**
 * Inputs for fuzzing: built of the pieces that bugs are made of, or a seed (corpora, when they are there) with changes.
 * Invariant: decided by Chance alone; an input is at most MAX_BYTES long.
 */

import { CORPORA_ABSENT, corpusLines } from "../support/corpora.ts";
import { corpusUrls } from "../support/corpus_urls.ts";
import type { Chance } from "./chance.ts";

export const MAX_BYTES = 4096;

const URL_PIECES = [
  ..."http://|https://|HTTP:|http:/|http:\\|ftp://|file:///|ws:|data:,|foo:|foo://|//|/|\\|?|#|&|=|;|:|@|.|..|%|%%|%4|%41|%2e|%2E%2e"
    .split("|"),
  ..."%c3%a9|%25|%2525|%00|%80|[::1]|[1:2:3:4:5:6:7:8]|[::ffff:1.2.3.4]|[|]|1.2.3.4|0x7f.1|017|256|4294967296|.|xn--|xn--a|xn--ls8h"
    .split("|"),
  ..."e.org|www.|www2.|.com.|localhost|a|B|z1|-|_|~|+|*|'|\"|<|>|^|`|{|}|\u00df|\u0131|\u017f|\u3002|\u200d|\u0300|\u05d0|\u0627\u0661"
    .split("|"),
  ..."\u{1f600}|\u{e0100}|\ud800|\udc00|\ufffd|\ufeff|\u0000|\t|\n|\r| |\u001f|:80|:443|:65535|:65536|C:|C|index.html|utm_source=|gclid"
    .split("|"),
  ..."?i=1&h=1&g=1&f=1&e=1&d=1&c=1&b=1&a=1|\u0915\u094d\u200d\u0937|\u0628\u200c\u0628|xn--mgba3gch31f060k|utm_x=1&"
    .split("|"),
  ..."sid=0123456789abcdef0123456789abcdef|cfid=1|cftoken=2|(s(4hqa0555fwsecu455xqckv45))/|.aspx|a=1&|b&".split("|"),
];

const PAGE_PIECES = [
  ..."<|>|</|<!|<?|<!--|-->|--!>|<!-|<![CDATA[|]]>|<a |<a href=|<a href='/x'>|</a>|<b>|</b>|<p>|<br/>|<base href=|<link rel=canonical href=/c>"
    .split("|"),
  ...'<meta name=robots content=none>|<meta charset=|<meta http-equiv=refresh content=\'0;url=|<img srcset="a 1x, b 2x" src=c>|<form action=f>'
    .split("|"),
  ..."<script>|</script>|<script><!--<script>|<style>|</style|<title>|</title>|<textarea>|</textarea>|<template>|</template>|<noscript>"
    .split("|"),
  ..."<a href='?q=\u00e9\u4e2d\u30a2\u{1f600}'>|<a rel='nofollow ugc sponsored' href=//x.y>|<link rel='preload icon' href=i>"
    .split("|"),
  ..."</noscript>|<svg>|</svg>|<math>|<mi>|<annotation-xml encoding=text/html>|<foreignObject>|<plaintext>|<xmp>|</xmp>|<iframe src=i>"
    .split("|"),
  ..."<table>|<tr>|<td>|<select>|<frameset>|<frame src=f>|<area href=a>|&amp;|&|&#|&#x|&#0;|&#128;|&#x110000;|&notin;|&notit;|&AMP|&ampx"
    .split("|"),
  ..."\"|'|=|/| |\t|\n|\r\n|\f|\0|word |another word |\u00e9|\u00a0|\u4e2d\u6587|\u0e44\u0e17\u0e22|\u{1f600}|href=|rel=nofollow |hreflang=de "
    .split("|"),
];

const PAGE_BYTES = PAGE_PIECES.map((piece) => new TextEncoder().encode(piece));

/** What inputs begin from, beside pieces. */
export interface Seeds {
  readonly urls: readonly string[];
  readonly pages: readonly Uint8Array[];
}

export function seeds(): Seeds {
  if (CORPORA_ABSENT !== undefined) return { urls: ["http://e.org/"], pages: [PAGE_BYTES[0]!] };
  const encoder = new TextEncoder();
  const trees = corpusLines<{ data: string }>("5-html/html5lib-tree-construction.open.jsonl");
  const tokens = corpusLines<{ input: string }>("5-html/html5lib-tokenizer.open.jsonl");
  const pages = [...trees.map(({ data }) => data), ...tokens.map(({ input }) => input)];
  return {
    urls: corpusUrls().map((url) => url.slice(0, 1024)),
    pages: pages.filter((page) => typeof page === "string").map((page) => encoder.encode(page).subarray(0, 1024)),
  };
}

/** A URL or what could be taken for one. */
export function makeUrl(chance: Chance, { urls }: Seeds): string {
  let url = chance.below(3) === 0 ? chance.pick(urls) : chance.below(2) === 0 ? "http://" : "";
  const changes = chance.below(8);
  for (let i = 0; i < changes; i++) {
    const at = chance.below(4) === 0 ? chance.below(url.length + 1) : url.length;
    const piece = chance.below(8) === 0 ? String.fromCharCode(chance.below(65_536)) : chance.pick(URL_PIECES);
    const gone = chance.below(6) === 0 ? chance.below(5) : 0;
    url = url.slice(0, at) + piece + url.slice(at + gone);
  }
  if (chance.below(500) === 0) url = url.repeat(1 + chance.below(60));
  return url.slice(0, MAX_BYTES);
}

/** Writes a page to `out`, which holds MAX_BYTES; its length. `bytes`: 256 = any bytes, 128 = UTF-8 stays UTF-8. */
export function makePage(chance: Chance, { pages }: Seeds, out: Uint8Array, bytes: 128 | 256): number {
  let length = 0;
  const add = (bytes: Uint8Array) => {
    const part = bytes.length > MAX_BYTES - length ? bytes.subarray(0, MAX_BYTES - length) : bytes;
    out.set(part, length);
    length += part.length;
  };
  if (chance.below(3) === 0) add(chance.pick(pages));
  const pieces = chance.below(chance.below(50) === 0 ? 400 : 16);
  for (let i = 0; i < pieces; i++) {
    if (chance.below(12) === 0 && length < MAX_BYTES) out[length++] = chance.below(bytes);
    else add(chance.pick(PAGE_BYTES));
  }
  const changes = length === 0 ? 0 : chance.below(3);
  for (let i = 0; i < changes; i++) {
    const at = chance.below(length);
    if (out[at]! < bytes) out[at] = chance.below(bytes);
  }
  return length;
}
