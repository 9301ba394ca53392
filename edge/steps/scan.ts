/**
 * Step 4: one crossing into the core per page; what the crawl does with the facts (which links it follows) is here.
 * Invariant: never fails; a body that isn't HTML has no links.
 */

import type { Core, PageFacts, ScanOptions } from "../../core-wasm/core.ts";
import { type CrawlSettings, LIMITS } from "../../protocol/mod.ts";
import type { Exchange, ScanThreads } from "../ports.ts";
import type { LinkHash } from "./known_links.ts";
import { type BareFacts, type PageToScan, unpackPage } from "./packed_page.ts";
import { robotsTag } from "./robots_tag.ts";

export interface Scanned {
  /** Its links are borrowed: `outlinks` here is what is left of them. */
  readonly facts: BareFacts;
  readonly outlinks: readonly string[];
  /** One DiscoveryKind letter per outlink; undefined when all are "L". */
  readonly outlinkKinds: string | undefined;
  /** Hashes of the outlinks, for KnownLinks. */
  readonly hashes: readonly LinkHash[];
  /** Outlinks of the page, with those that are left out as known. */
  readonly outlinkCount: number;
}

const HTML_TYPES = new Set(["text/html", "application/xhtml+xml"]);

/** The header's first value; undefined when absent. Names are compared without case (RFC 9110 5.1). */
export function header(exchange: Pick<Exchange, "headers">, name: string): string | undefined {
  // By index: taking pairs apart by pattern goes through an iterator, for every field of every page several times.
  for (const field of exchange.headers) {
    const key = field[0];
    if (key.length === name.length && key.toLowerCase() === name) return field[1];
  }
  return undefined;
}

/** `type/subtype` in lower case; "" when absent or no media type (RFC 9110 8.3.1). */
export function mediaType(contentType: string | undefined): string {
  const type = (contentType ?? "").split(";", 1)[0]!.trim().toLowerCase();
  return /^[^\s/]+\/[^\s/]+$/.test(type) ? type : "";
}

/** The media type of the header that was read last: most pages of a crawl say the same. */
let lastHeader: string | undefined;
let lastType = "";

function recentMediaType(contentType: string | undefined): string {
  if (contentType !== lastHeader) [lastHeader, lastType] = [contentType, mediaType(contentType)];
  return lastType;
}

/** True when a browser would build a document of it: declared so, or undeclared and beginning like HTML. */
export function isHtml(contentType: string | undefined, body: Uint8Array): boolean {
  const type = recentMediaType(contentType);
  if (type !== "") return HTML_TYPES.has(type);
  return /^(\xef\xbb\xbf)?\s*(<!doctype html|<html|<head|<body|<!--)/i.test(
    new TextDecoder("latin1").decode(body.subarray(0, 512)),
  );
}

export interface ToScan {
  readonly crawl: CrawlSettings;
  /** Links that needn't be reported again. */
  readonly isKnown?: (low: number, high: number) => boolean;
}

export interface Scanners {
  readonly core: Core;
  readonly threads?: ScanThreads | undefined;
}

type Followed = Pick<Scanned, "outlinks" | "outlinkKinds" | "hashes" | "outlinkCount">;

const NO_LINKS: Followed = { outlinks: [], outlinkKinds: undefined, hashes: [], outlinkCount: 0 };

/** What a scan of the decoded body is given; undefined when it isn't HTML. */
export function pageToScan({ url, headers, decoded }: Exchange, crawl: CrawlSettings): PageToScan | undefined {
  const contentType = header({ headers }, "content-type");
  if (!isHtml(contentType, decoded)) return undefined;
  const options: ScanOptions = {
    url,
    embeds: crawl.embeds,
    borrowLinks: true,
    productToken: crawl.product_token,
    maxBytes: LIMITS.scanBytes,
    ...(contentType === undefined ? {} : { contentType }),
  };
  return { html: decoded, options, skipNofollow: crawl.respect_rel_nofollow };
}

/** Scans in this thread, or hands a page to another one where that is worth it. */
export function scan(scanners: Scanners, exchange: Exchange, what: ToScan): Scanned | Promise<Scanned> | undefined {
  const page = pageToScan(exchange, what.crawl);
  if (page === undefined) return undefined;
  const elsewhere = scanners.threads?.scan(page);
  if (elsewhere === undefined) return scannedOf(scanners.core.scan(page.html, page.options), exchange, what);
  return elsewhere.then((packed) => scannedOf(unpackPage(packed), exchange, what));
}

type Facts = BareFacts & Pick<PageFacts, "outlinks">;

function scannedOf(facts: Facts, exchange: Exchange, what: ToScan): Scanned {
  const nofollow = facts.nofollow || robotsTag(exchange.headers, what.crawl.product_token).nofollow;
  return { facts, ...(nofollow ? NO_LINKS : follow(facts, what)) };
}

/** The links that the crawl follows: http(s), once each, in page order, fragment removed, known ones left out. */
function follow(facts: Facts, { crawl, isKnown = () => false }: ToScan): Followed {
  let knownLinks = 0;
  const choice = {
    skipNofollow: crawl.respect_rel_nofollow,
    isKnown: (low: number, high: number) => isKnown(low, high) && ++knownLinks > 0,
  };
  const links = facts.outlinks(choice).slice(0, LIMITS.outlinksPerPage);
  const hasEmbeds = crawl.embeds && links.some(({ kind }) => kind === "embed");
  return {
    outlinks: links.map(({ url }) => url),
    outlinkKinds: hasEmbeds ? links.map(({ kind }) => kind === "embed" ? "E" : "L").join("") : undefined,
    hashes: links.map(({ hash }) => hash),
    outlinkCount: links.length + knownLinks,
  };
}
