/**
 * What a fetched sitemap or feed adds to the crawl: the pages that it names, and further sitemaps.
 * Invariant: never fails; what is no sitemap has none; the number of links and their characters are bounded, so that one
 * report of them fits into a request.
 */

import { LIMITS, type Target } from "../protocol/mod.ts";
import type { EdgeParts } from "./parts.ts";
import type { Exchange } from "./ports.ts";
import { inBatches, looksLikeSitemap, parseSitemap, resolveLocs, unpackSitemap } from "./sitemap/parse.ts";
import { w3cDateMs } from "./sitemap/dates.ts";
import type { Sitemap, SitemapEntry } from "./sitemap/sitemap.ts";
import { header, mediaType } from "./steps/scan.ts";

export interface SitemapLinks {
  /** Absolute http(s) URLs without fragment, once each. */
  readonly outlinks: readonly string[];
  /** One letter each: S = a page, M = a sitemap. */
  readonly outlinkKinds: string;
  /** What is said of each: hundredths, wall s; 0 = nothing. See Fetched. */
  readonly priorities: readonly number[];
  readonly lastmods: readonly number[];
}

/** Characters of all links of one sitemap together. */
const LINK_CHARS = LIMITS.apiBodyBytes / 3;
const XML_TYPE = /^(?:text|application)\/(?:[\w.-]+\+)?xml$/;

/** The links of a final answer; undefined when it is no sitemap, or the crawl leaves sitemaps alone. */
export async function sitemapLinks(
  answer: Exchange,
  target: Target,
  parts: EdgeParts,
): Promise<SitemapLinks | undefined> {
  const isNamed = target.kind === "sitemap";
  // Feeds and sitemaps that pages link to are XML by their type; text and gzip files are sitemaps only by name.
  const type = mediaType(header(answer, "content-type"));
  if (!isNamed && !(XML_TYPE.test(type) && looksLikeSitemap(answer.decoded))) return undefined;
  const { bytes, isCut } = await unpacked(answer, parts);
  const rest = () => parts.clock.sleep(0);
  const sitemap = await parseSitemap(bytes, { now: parts.clock.wallMs(), isCut, rest });
  if ("error" in sitemap) {
    parts.log.info("a sitemap could not be read", { url: answer.url, error: sitemap.error });
    return undefined;
  }
  const links = new Links(LIMITS.outlinksPerSitemap);
  for (const [kind, named] of [["M", sitemapsOf(sitemap)], ["S", pagesOf(sitemap)]] as const) {
    for (const batch of inBatches<Named>(named, ({ loc }) => loc.length)) {
      const urls = resolveLocs(batch.map(({ loc }) => loc), answer.url, parts.core);
      if (!links.add(urls, kind, (index) => batch[index]!.entry)) return links;
      await rest();
    }
  }
  return links;
}

interface Named {
  readonly loc: string;
  readonly entry: Said;
}

function* sitemapsOf({ sitemaps }: Sitemap): Generator<Named> {
  for (const loc of sitemaps) yield { loc, entry: {} };
}

/** Each page, and behind it the same in other languages. */
function* pagesOf({ entries }: Sitemap): Generator<Named> {
  for (const entry of entries) {
    yield { loc: entry.loc, entry };
    for (const loc of entry.alternates ?? []) yield { loc, entry };
  }
}

async function unpacked(
  { decoded, truncated, decodeProblem }: Exchange,
  parts: EdgeParts,
): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  const isCut = truncated !== undefined || decodeProblem !== undefined;
  const unpacked = await unpackSitemap(decoded, parts.unpack);
  return { bytes: unpacked.bytes, isCut: isCut || unpacked.isCut };
}

type Said = Pick<SitemapEntry, "priority" | "lastmod">;

class Links implements SitemapLinks {
  readonly outlinks: string[] = [];
  outlinkKinds = "";
  readonly priorities: number[] = [];
  readonly lastmods: number[] = [];
  readonly #most: number;
  readonly #known = new Set<string>();
  #chars = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** `entry`: what is said of the URL with that index. False: no more fit. */
  add(urls: readonly (string | undefined)[], kind: "S" | "M", entry: (index: number) => Said): boolean {
    for (const [index, url] of urls.entries()) {
      if (url === undefined || this.#known.has(url)) continue;
      if (this.outlinks.length >= this.#most || this.#chars + url.length > LINK_CHARS) return false;
      this.#known.add(url);
      this.#chars += url.length;
      this.outlinks.push(url);
      this.outlinkKinds += kind;
      const { priority = 0, lastmod } = entry(index);
      this.priorities.push(Math.round(priority * 100));
      this.lastmods.push(lastmod === undefined ? 0 : Math.max(0, Math.floor((w3cDateMs(lastmod) ?? 0) / 1000)));
    }
    return true;
  }
}
