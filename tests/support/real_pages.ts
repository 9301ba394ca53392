/**
 * The real pages of the corpora, with what tells which of them belong together.
 * Invariant: pages that stand in the corpora twice, or nearly so, are known: they are no negatives of each other.
 */

import { gunzipSync } from "node:zlib";
import { corpusBytes } from "./corpora.ts";
import { chanceFrom } from "./near_duplicates.ts";

const SETS = ["htmlparser-benchmark", "readability", "trafilatura-cache"];

export interface RealPage {
  readonly id: string;
  readonly html: string;
  /** Host that the page names as its own; undefined when it names none. */
  readonly site: string | undefined;
}

const OWN_URL =
  /<(?:link[^>]*rel=["']?canonical["']?[^>]*href|meta[^>]*property=["']og:url["'][^>]*content)=["']?https?:\/\/([^/"'> ]+)/i;

/** Every `step`-th page that is UTF-8. */
export function* realPages(step: number): Generator<RealPage> {
  for (const set of SETS) {
    const lines = new TextDecoder().decode(gunzipSync(corpusBytes(`8-pages/${set}.jsonl.gz`))).split("\n");
    for (let i = 0; i < lines.length; i += step) {
      const { id, html } = JSON.parse(lines[i] || "{}") as { id?: string; html?: string };
      if (id !== undefined && html !== undefined) yield { id, html, site: OWN_URL.exec(html)?.[1]?.toLowerCase() };
    }
  }
}

/** Pairs of different pages: all of the same site, and as many of different ones. */
export function negativePairs<T extends { readonly site: string | undefined }>(
  pages: readonly T[],
  seed: number,
): { readonly sameSite: readonly [T, T][]; readonly otherSite: readonly [T, T][] } {
  const sameSite: [T, T][] = [];
  pages.forEach((page, i) => {
    for (const other of pages.slice(i + 1)) {
      if (page.site !== undefined && page.site === other.site) sameSite.push([page, other]);
    }
  });
  const chance = chanceFrom(seed);
  const one = () => pages[Math.floor(chance() * pages.length)]!;
  const otherSite = Array.from({ length: Math.max(sameSite.length, 1000) }, () => [one(), one()] as [T, T])
    .filter(([a, b]) => a !== b && (a.site === undefined || a.site !== b.site));
  return { sameSite, otherSite };
}

/** The distinct runs of three words: what two texts share, told without SimHash. */
export function shinglesOf(words: readonly string[]): Set<string> {
  return new Set(words.map((_, i) => words.slice(i, i + 3).join(" ")));
}

/** Shared runs over all runs, 0 to 1 (Jaccard); 1 when both are empty. */
export function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const run of a) if (b.has(run)) shared++;
  const all = a.size + b.size - shared;
  return all === 0 ? 1 : shared / all;
}
