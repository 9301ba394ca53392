/**
 * Texts and pages for keyVersion's goldens, put together from parts by a fixed recipe.
 * Invariant: the same bytes on every runtime and for ever: a change here is a change of the goldens.
 */

import type { ScanOptions } from "../../core-wasm/core.ts";
import { chanceFrom } from "./near_duplicates.ts";

const COUNT = 1500;

const WORDS = [
  "the of and to in that a is 12 2026 was for it with as his on be at by had not are but from or have an they which",
  "harbour winter copper signal meadow engine river market theatre climate station window archive network region",
  "über Größe naïve façade Æsir œuvre Þing ñandú Ångström straße",
  "привет мир река город Москва окно зима",
  "καλημέρα κόσμε θάλασσα",
  "مرحبا بالعالم سلام שלום עולם",
  "नमस्ते दुनिया ไทยภาษา မြန်မာ ខ្មែរ ລາວ",
  "日本語の文章です。 カタカナ 漢字仮名交じり 中文字符測試 敏捷的棕色狐狸",
  "한국어 문장 입니다 서울 바다",
  "𝒜𝓁𝓅𝒽𝒶 😀 👩‍👩‍👧 — … “quoted” don't e-mail C++ 3.14 1,000 №5 ½ ａｂｃ ﬁne",
].map((line) => line.split(" "));

function pick<T>(items: readonly T[], chance: () => number): T {
  return items[Math.floor(chance() * items.length)]!;
}

/** Words of one or two scripts; some are said again and again. */
function someText(chance: () => number, most: number): string {
  const lines = [pick(WORDS, chance), pick(WORDS, chance)];
  const words = Array.from({ length: Math.floor(chance() * most) }, () => pick(pick(lines, chance), chance));
  return words.map((word) => chance() < 0.1 ? `${word}.` : word).join(" ");
}

export function goldenTexts(): string[] {
  const chance = chanceFrom(20260101);
  return [
    "",
    " ",
    "one",
    "a b",
    ...Array.from({ length: COUNT }, (_, i) => someText(chance, i % 10 === 0 ? 2000 : 120)),
  ];
}

const URLS = [
  "x",
  "/a/../b?c=1&b=2#f",
  "//other.example/é?ü",
  "?q=%7e",
  "https://e.example:443/",
  "mailto:a@b",
  "javascript:f()",
  " \n y \t",
  "http://[",
  "../..//z;p",
  "",
  "#top",
  "data:,x",
  "http://bücher.example/%zz",
  "ftp://f.example/x",
  "\\\\back.example\\s",
];
const SHELLS: readonly ((url: string, text: string) => string)[] = [
  (_url, text) => `<p>${text}</p>`,
  (url, text) => `<a href="${url}" rel="NoFollow ugc">${text}</a>`,
  (url, text) => `<A HREF='${url}'>${text}<b>bold</b>face`,
  (url) => `<a href=${url.replaceAll(" ", "")}>`,
  (url) => `<area href="${url}"><iframe src="${url}"></iframe><frame src="${url}">`,
  (url) => `<base href="${url}">`,
  (url) => `<link rel=canonical href="${url}"><link rel="stylesheet" href="${url}">`,
  (url) => `<meta http-equiv=refresh content="5; URL='${url}'">`,
  (url, text) => `<form action="${url}"><input name=q value="${text}"></form>`,
  (url) => `<img src="${url}" srcset="${url} 2x, b.png 640w"><video poster="${url}"><source src="${url}"></video>`,
  (_, text) => `<title>${text}</title>`,
  (url, text) => `<script>"<a href='${url}'>${text}</a>"</script><style>${text}</style>`,
  (url, text) => `<!-- <a href="${url}"> --><![CDATA[${text}]]>`,
  (url, text) => `<noscript><a href="${url}">${text}</a></noscript><template><a href="${url}">${text}</a></template>`,
  (url, text) => `<svg><a href="${url}"><title>${text}</title></a></svg><math><mi>${text}</mi></math>`,
  (_, text) => `<meta name=robots content="${text.length % 2 ? "noindex" : "nofollow, noarchive"}">`,
  (_, text) => `<textarea>${text}&lt;&amp;&copy;&#x41;&#0;&notin;&nosuch;</textarea>`,
  (_, text) => `<ul><li>${text}<li>${text}</ul><table><tr><td>${text}<td>x</table><br>`,
  (url, text) => `<a href="${url}" ${text.slice(0, 5)}="x" href=second>`,
  (_, text) => `<p lang=de title='<'>${text}</p`,
];
const CONTENT_TYPES = [
  undefined,
  "text/html",
  "text/html; charset=utf-8",
  "text/html;charset=windows-1252",
  "text/html; charset=shift_jis",
  "application/xhtml+xml",
  "text/html; charset=koi8-r",
  "text/html; charset=utf-16le",
];

export interface GoldenPage {
  readonly bytes: Uint8Array;
  readonly options: ScanOptions;
}

export function goldenPages(): GoldenPage[] {
  const chance = chanceFrom(20260102);
  const encoder = new TextEncoder();
  return Array.from({ length: COUNT }, (_, i) => {
    let html = i % 3 === 0 ? "<!DOCTYPE html><html lang=en><head><meta charset=utf-8>" : "";
    for (let part = Math.floor(chance() * 12); part >= 0; part--) {
      html += pick(SHELLS, chance)(pick(URLS, chance), someText(chance, 25));
    }
    return {
      bytes: encoder.encode(html),
      options: {
        url: pick(["http://e.example/d/p.html?q", "https://www.e.example/"], chance),
        contentType: i % 5 === 0 ? pick(CONTENT_TYPES, chance) : "text/html; charset=utf-8",
        embeds: i % 2 === 0,
        forms: i % 7 === 0,
        productToken: "outrider",
      },
    };
  });
}
