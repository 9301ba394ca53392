/**
 * Pages and texts for the scan's benchmark: made, seeded, alike to news pages in size and in how much of them is markup.
 * Invariant: the same on every runtime.
 */

import { hash32 } from "./web/chance.ts";

const WORDS =
  ("the of and to in is that for with as on was by are this from which have not or an be it at his their but " +
    "crawler archive network region harbour winter copper signal meadow engine river market theatre climate station window")
    .split(" ");

/** A text of about `bytes` bytes. */
export function madeText(seed: number, bytes: number): string {
  let text = "";
  for (let i = 0; text.length < bytes; i++) {
    const word = WORDS[hash32(seed, i) % WORDS.length]!;
    text += hash32(seed, i, 1) % 12 === 0 ? `${word}. ` : `${word} `;
  }
  return text;
}

function madeHref(seed: number, i: number): string {
  const section = WORDS[hash32(seed, i, 2) % WORDS.length]!;
  switch (hash32(seed, i, 3) % 5) {
    case 0:
      return `/${section}/${i}.html`;
    case 1:
      return `../${section}/page-${i}?ref=nav&amp;item=${i}`;
    case 2:
      return `https://${section}.example/${i}/`;
    case 3:
      return `${section}.html#part-${i % 7}`;
    default:
      return `//static.page.example/${section}/${i}`;
  }
}

/** A page of about 60 KB with some 200 links, a script and a style sheet. */
export function madePage(seed: number): string {
  const script = `<script>var data = {"id": ${seed}, "html": "<a href='/no'>no<\\/a>"};${
    "call(1, 2);".repeat(600)
  }</script>`;
  const style = `<style>${".box > .item { margin: 0 auto; color: #333 }\n".repeat(80)}</style>`;
  let body = "";
  for (let i = 0; i < 200; i++) {
    body += `<li class="item item-${i}" id="n${i}" data-key='${seed}'><a class="link" title="Read &quot;more&quot;" ` +
      `href="${madeHref(seed, i)}">${madeText(seed * 1000 + i, 24)}</a></li>\n<p class="teaser">${
        madeText(seed * 2000 + i, 90)
      }` +
      `&mdash; <b>x</b>&nbsp;<img src="/i/${i}.png" alt="" width=10></p>\n`;
  }
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Page ${seed} &amp; more</title>` +
    `<link rel="canonical" href="/canonical/${seed}">${style}${script}</head><body><!-- <a href="/hidden"> --><ul>${body}</ul></body></html>`;
}
