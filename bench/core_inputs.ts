/**
 * Inputs of the core's benchmark: real pages and the links of them where the corpora are there, made ones elsewhere.
 * Invariant: the same in every run on one machine; the source is told, as figures of the two can't be compared.
 */

import { gunzipSync } from "node:zlib";
import type { Core } from "../core-wasm/core.ts";
import { CORPORA_ABSENT, corpusBytes } from "../tests/support/corpora.ts";
import { madePage } from "./core_scan_pages.ts";

const SETS = ["htmlparser-benchmark", "readability", "trafilatura-cache"];
const STEP = 16;
const MADE_PAGES = 24;
export const URL_BATCH = 200;

export interface BenchPage {
  readonly url: string;
  readonly bytes: Uint8Array;
}

export interface BenchInputs {
  /** "real" or "made". */
  readonly source: string;
  readonly pages: readonly BenchPage[];
  /** Batches of URL_BATCH absolute http(s) URLs, as the pages link to them. */
  readonly urls: readonly string[][];
}

interface CorpusPage {
  readonly html?: string;
}

function realPages(): BenchPage[] {
  const encoder = new TextEncoder();
  const url = "https://www.example.com/2026/section/page.html?id=7";
  return SETS.flatMap((set) => {
    const lines = new TextDecoder().decode(gunzipSync(corpusBytes(`8-pages/${set}.jsonl.gz`))).split("\n");
    return lines.filter((line, index) => line !== "" && index % STEP === 0)
      .flatMap((line) => {
        const { html } = JSON.parse(line) as CorpusPage;
        return html === undefined ? [] : [{ url, bytes: encoder.encode(html) }];
      });
  });
}

function madePages(): BenchPage[] {
  const encoder = new TextEncoder();
  const url = "https://page.example/section/index.html";
  return Array.from({ length: MADE_PAGES }, (_, index) => ({ url, bytes: encoder.encode(madePage(index)) }));
}

export function benchInputs(core: Core): BenchInputs {
  const isReal = CORPORA_ABSENT === undefined;
  const pages = isReal ? realPages() : madePages();
  const links = pages.flatMap(({ url, bytes }) =>
    core.scan(bytes, { url, text: false }).outlinks().map((one) => one.url)
  );
  const urls = Array.from(
    { length: Math.floor(links.length / URL_BATCH) },
    (_, index) => links.slice(index * URL_BATCH, (index + 1) * URL_BATCH),
  );
  return { source: isReal ? "real" : "made", pages, urls };
}
