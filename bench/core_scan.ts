/**
 * The page scan against htmlparser2 with the runtime's URL class, and SimHash against a JS version of the same
 * algorithm. Before anything is timed, the candidates must have found the same links.
 */

import { Parser } from "htmlparser2";
import type { Core } from "../core-wasm/core.ts";
import type { CoreRow } from "./report/core_row.ts";
import { madePage, madeText } from "./core_scan_pages.ts";
import { measure } from "./interleaved.ts";
import { simhashOf } from "./simhash_js.ts";

const PAGES = 24;
const TEXTS = 64;
const TEXT_BYTES = 20 * 1024;
const PAGE_URL = "https://page.example/section/index.html";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface Found {
  readonly urls: readonly string[];
  readonly simhash: bigint;
}

const INLINE = new Set(["a", "b", "i", "em", "span", "strong", "img", "small", "code"]);

/** Distinct http(s) links without fragments, by a well-kept JS parser; the text's SimHash where asked for. */
export function scanByJs(bytes: Uint8Array, wantText: boolean, pageUrl: string = PAGE_URL): Found {
  const urls = new Set<string>();
  const hrefs: string[] = [];
  let base = pageUrl;
  let baseSeen = false;
  let text = "";
  let unseen = 0;
  const isUnseen = (name: string) => name === "script" || name === "style" || name === "title";
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === "a" || name === "area" || name === "link") {
        if (attributes.href) hrefs.push(attributes.href);
      } else if (name === "iframe" || name === "frame") {
        if (attributes.src) hrefs.push(attributes.src);
      } else if (name === "base" && !baseSeen && attributes.href) {
        base = URL.parse(attributes.href, pageUrl)?.href ?? pageUrl;
        baseSeen = true;
      }
      if (!wantText) return;
      if (isUnseen(name)) unseen++;
      if (!INLINE.has(name)) text += " ";
    },
    ontext(part) {
      if (wantText && unseen === 0) text += part;
    },
    onclosetag(name) {
      if (!wantText) return;
      if (isUnseen(name)) unseen--;
      if (!INLINE.has(name)) text += " ";
    },
  });
  parser.end(decoder.decode(bytes));
  for (const href of hrefs) {
    const url = URL.parse(href, base);
    if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) continue;
    url.hash = "";
    urls.add(url.href);
  }
  return { urls: [...urls], simhash: wantText ? simhashOf(text) : 0n };
}

function scanByCore(core: Core, bytes: Uint8Array, wantText: boolean): Found {
  const facts = core.scan(bytes, { url: PAGE_URL, text: wantText });
  return { urls: facts.outlinks().map((link) => link.url), simhash: facts.simhash };
}

const lowBits = (hash: bigint): number => Number(hash & 0xffffn);

function checkSame(core: Core, pages: readonly Uint8Array[]): void {
  for (const page of pages) {
    const wanted = scanByJs(page, false).urls.toSorted().join("\n");
    const found = scanByCore(core, page, false).urls.toSorted().join("\n");
    if (found !== wanted) throw new Error("Benchmarking the page scan stopped: the candidates found different links.");
  }
}

/** Rows of the page scan: per page of 60 KB, and per text of 20 KB. */
export function benchScan(core: Core): readonly CoreRow[] {
  const pages = Array.from({ length: PAGES }, (_, index) => encoder.encode(madePage(index)));
  const texts = Array.from({ length: TEXTS }, (_, index) => madeText(index, TEXT_BYTES));
  const textBytes = texts.map((text) => encoder.encode(text));
  checkSame(core, pages);
  return [
    ...measure({
      name: "page: links, resolved, distinct",
      opsPerCall: 1,
      candidates: {
        "JS htmlparser2 + URL": (turn) => scanByJs(pages[turn % PAGES]!, false).urls.length,
        "core.scan, no text": (turn) => scanByCore(core, pages[turn % PAGES]!, false).urls.length,
      },
    }),
    ...measure({
      name: "page: links and text",
      opsPerCall: 1,
      candidates: {
        "JS htmlparser2 + URL + SimHash": (turn) => lowBits(scanByJs(pages[turn % PAGES]!, true).simhash),
        "core.scan": (turn) => lowBits(scanByCore(core, pages[turn % PAGES]!, true).simhash),
      },
    }),
    ...measure({
      name: "SimHash of 20 KB",
      opsPerCall: 1,
      candidates: {
        "JS SimHash, bit-sliced": (turn) => lowBits(simhashOf(texts[turn % TEXTS]!)),
        "core.simhash": (turn) => lowBits(core.simhash(textBytes[turn % TEXTS]!)),
      },
    }),
  ];
}
