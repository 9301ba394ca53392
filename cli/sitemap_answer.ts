/**
 * `outrider sitemap`: one sitemap or feed, what it says.
 * Invariant: total; any line gets an answer or `{"error"}`; a gzip file is unpacked as far as a sitemap may be long.
 */

import type { Core } from "../core-wasm/core.ts";
import { unpackGzip } from "../edge/http/unpack.ts";
import { parseSitemap, resolveLocs, unpackSitemap } from "../edge/sitemap/parse.ts";
import type { SitemapEntry, SitemapKind } from "../edge/sitemap/sitemap.ts";

export interface SitemapAnswer {
  readonly kind: SitemapKind;
  /** Entries whose address is no http(s) URL are left out. */
  readonly urls: readonly SitemapEntry[];
  readonly sitemaps: readonly string[];
  readonly truncated: boolean;
}

export interface SitemapRefusal {
  /** A sentence. */
  readonly error: string;
}

const WANTED = '{"body" or "body_base64", "url", "content_type"?}';

function refused(found: string): SitemapRefusal {
  return { error: `Reading a sitemap to show: found ${found}, wanted ${WANTED}.` };
}

function bytesOf(question: Record<string, unknown>): Uint8Array | undefined {
  if (typeof question.body === "string") return new TextEncoder().encode(question.body);
  if (typeof question.body_base64 !== "string") return undefined;
  try {
    return Uint8Array.from(atob(question.body_base64), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Answers `{"body"|"body_base64", "url", "content_type"?}`; `now` is wall ms. The content type decides nothing: the bytes do. */
export async function answerSitemap(core: Core, line: unknown, now: number): Promise<SitemapAnswer | SitemapRefusal> {
  if (typeof line !== "object" || line === null || Array.isArray(line)) return refused("JSON that isn't an object");
  const question = line as Record<string, unknown>;
  const body = bytesOf(question);
  if (body === undefined) return refused('neither "body" (text) nor "body_base64" (base64)');
  if (typeof question.url !== "string") return refused('a "url" that is no string');
  const page = core.url(question.url);
  if ("error" in page) return { error: page.error };
  const { bytes, isCut } = await unpackSitemap(body, unpackGzip);
  const sitemap = await parseSitemap(bytes, { now, isCut });
  if ("error" in sitemap) return sitemap;
  const { kind, entries, sitemaps, truncated } = sitemap;
  const locs = resolveLocs(entries.map(({ loc }) => loc), page.url, core);
  const children = resolveLocs(sitemaps, page.url, core);
  return {
    kind,
    urls: entries.flatMap((entry, i) => locs[i] === undefined ? [] : [named(entry, locs[i]!, page.url, core)]),
    sitemaps: children.filter((child) => child !== undefined),
    truncated,
  };
}

function named(entry: SitemapEntry, loc: string, page: string, core: Core): SitemapEntry {
  if (entry.alternates === undefined) return { ...entry, loc };
  const alternates = resolveLocs(entry.alternates, page, core).filter((one) => one !== undefined);
  return { ...entry, loc, alternates };
}
