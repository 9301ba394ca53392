/**
 * Reads a sitemap from its (content-decoded) bytes: tells XML from text, finds the encoding, stops at the limits.
 * Invariant: total - any bytes give a sitemap or a sentence; work and memory are bounded by SITEMAP_LIMITS. Entries are
 * still what the file says: `resolveEntries` makes URLs of them.
 */

import type { Core } from "../../core-wasm/core.ts";
import { type Sitemap, SITEMAP_LIMITS, type SitemapEntry } from "./sitemap.ts";
import { trimmed } from "./values.ts";
import { XmlSitemap } from "./xml_sitemap.ts";

export interface SitemapProblem {
  /** A sentence. */
  readonly error: string;
}

export interface ParseOptions {
  /** Wall ms: dates after it aren't believed. */
  readonly now: number;
  /** The bytes broke off, or were cut at a cap. */
  readonly isCut?: boolean;
  /** Called between pieces of the work, so that a long file doesn't hold up others. */
  readonly rest?: () => Promise<void>;
}

const PIECE_BYTES = 256 * 1024;
const TAIL_CHARS = 2 * SITEMAP_LIMITS.valueChars;

/** True when the bytes begin like a gzip file (RFC 1952 2.3.1). */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Undoes gzip, of at most so many bytes; `isCut` when there is more or the rest is broken. See Unpack of the edge's ports. */
type Unpack = (bytes: Uint8Array, capBytes: number) => Promise<{ readonly bytes: Uint8Array; readonly isCut: boolean }>;

/** Some files are packed, and packed again by their server. */
const MOST_PACKED = 2;

/** A sitemap's bytes without gzip, as far as a sitemap may be long. */
export async function unpackSitemap(
  packed: Uint8Array,
  unpack: Unpack,
): Promise<{ readonly bytes: Uint8Array; readonly isCut: boolean }> {
  let bytes = packed;
  let isCut = false;
  for (let times = 0; times < MOST_PACKED && isGzip(bytes); times++) {
    const unpacked = await unpack(bytes, SITEMAP_LIMITS.bytes);
    bytes = unpacked.bytes;
    isCut ||= unpacked.isCut;
  }
  return { bytes, isCut };
}

/** The root element's name if the bytes begin like a sitemap, index or feed; for telling them from other XML cheaply. */
export function looksLikeSitemap(bytes: Uint8Array): boolean {
  const head = new TextDecoder(encodingOf(bytes)).decode(bytes.subarray(0, 4096));
  return /<(?:\w+:)?(?:urlset|sitemapindex|rss|feed|RDF)[\s>]/i.test(head.replace(/<!--[^]*?(?:-->|$)/g, ""));
}

export async function parseSitemap(bytes: Uint8Array, options: ParseOptions): Promise<Sitemap | SitemapProblem> {
  const encoding = encodingOf(bytes);
  const start = new TextDecoder(encoding).decode(bytes.subarray(0, 1024));
  // A server's warning may stand before the XML.
  if (trimmed(start).startsWith("<") || looksLikeSitemap(bytes)) return await parseXml(bytes, encoding, options);
  return parseText(new TextDecoder(encoding).decode(bytes.subarray(0, SITEMAP_LIMITS.bytes)), bytes, options);
}

/** By byte order mark, by how `<` is written, by the XML declaration; UTF-8 where nothing is said (sitemaps.org). */
function encodingOf(bytes: Uint8Array): string {
  const [a, b] = bytes;
  if ((a === 0xfe && b === 0xff) || (a === 0 && b === 0x3c)) return "utf-16be";
  if ((a === 0xff && b === 0xfe) || (a === 0x3c && b === 0)) return "utf-16le";
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 256));
  const label = /^\s*(?:\xef\xbb\xbf)?\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/i.exec(head)?.[1];
  if (label === undefined || /^utf-?16/i.test(label)) return "utf-8";
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return "utf-8";
  }
}

async function parseXml(bytes: Uint8Array, encoding: string, options: ParseOptions): Promise<Sitemap | SitemapProblem> {
  const reader = new XmlSitemap(options.now, looksLikeSitemap(bytes));
  const decoder = new TextDecoder(encoding);
  const end = Math.min(bytes.length, SITEMAP_LIMITS.bytes);
  let tail = "";
  for (let at = 0; at < end && !reader.isFull && reader.strangeRoot === ""; at += PIECE_BYTES) {
    const stop = Math.min(end, at + PIECE_BYTES);
    // Pieces begin where the one before ended: `stream` keeps what was cut within a character.
    const text = decoder.decode(bytes.subarray(at, stop), { stream: stop < end });
    reader.write(text);
    tail = (tail + text).slice(-TAIL_CHARS);
    if (stop < end) await options.rest?.();
  }
  reader.end(tail);
  if (reader.kind === undefined) {
    const found = reader.strangeRoot === "" ? "no element" : `<${reader.strangeRoot.slice(0, 40)}>`;
    return problem(`${found} at its root`);
  }
  const truncated = reader.isFull || end < bytes.length || options.isCut === true;
  return { kind: reader.kind, entries: reader.entries, sitemaps: reader.sitemaps, truncated };
}

/** One URL a line (sitemaps.org). Lines that are none are passed over; without any it is no sitemap. */
function parseText(text: string, bytes: Uint8Array, options: ParseOptions): Sitemap | SitemapProblem {
  const entries: SitemapEntry[] = [];
  let truncated = bytes.length > SITEMAP_LIMITS.bytes || options.isCut === true;
  const lineEnd = /[\r\n]/g;
  let at = 0;
  while (at < text.length) {
    lineEnd.lastIndex = at;
    const stop = lineEnd.exec(text)?.index ?? text.length;
    const line = trimmed(text.slice(at, Math.min(stop, at + TAIL_CHARS)));
    at = stop + 1;
    if (line.length > SITEMAP_LIMITS.valueChars || !/^(?:https?:\/\/|www\.)\S+$/i.test(line)) continue;
    // What was cut off with the file is no URL of it.
    if (stop === text.length && truncated) break;
    if (entries.length === SITEMAP_LIMITS.entries) {
      truncated = true;
      break;
    }
    entries.push({ loc: line });
  }
  if (entries.length === 0) return problem("neither XML nor a line that is a URL");
  return { kind: "text", entries, sitemaps: [], truncated };
}

function problem(found: string): SitemapProblem {
  return { error: `Reading a sitemap: found ${found}; wanted a urlset, a sitemapindex, RSS, Atom, or one URL a line.` };
}

/** URLs that go to the core in one crossing, and their characters: its buffers are bounded, and others want it too. */
const BATCH_URLS = 2_000;
const BATCH_CHARS = 4_000_000;

/** The parts of `values` that `resolveLocs` may be given at a time. */
export function* inBatches<T>(values: Iterable<T>, charsOf: (value: T) => number): Generator<T[]> {
  let batch: T[] = [];
  let chars = 0;
  for (const value of values) {
    const more = charsOf(value);
    if (batch.length > 0 && (batch.length >= BATCH_URLS || chars + more > BATCH_CHARS)) {
      yield batch;
      batch = [];
      chars = 0;
    }
    batch.push(value);
    chars += more;
  }
  if (batch.length > 0) yield batch;
}

/** What the URL Standard drops or escapes: in such an address nothing is left as it was written. */
// deno-lint-ignore no-control-regex
const UNWRITTEN = /[\x00-\x20\x7f]/;

/**
 * The http(s) URLs of `locs` without fragment, else as written where that is absolute and in order. Relative ones are resolved against the sitemap's own
 * URL; one that begins with its host, the scheme forgotten, is given it. Others are left out (undefined).
 */
export function resolveLocs(
  locs: readonly string[],
  sitemapUrl: string,
  core: Pick<Core, "url" | "urls">,
): (string | undefined)[] {
  const resolved: (string | undefined)[] = [];
  for (const batch of inBatches(locs, (loc) => loc.length)) {
    for (const url of resolveBatch(batch, sitemapUrl, core)) resolved.push(url);
  }
  return resolved;
}

function resolveBatch(
  locs: readonly string[],
  sitemapUrl: string,
  core: Pick<Core, "url" | "urls">,
): (string | undefined)[] {
  const base = core.url(sitemapUrl);
  const host = "error" in base ? "" : base.host;
  const scheme = "error" in base ? "http:" : base.url.slice(0, base.url.indexOf(":") + 1);
  const absolute = locs.map((text) => {
    const loc = text.split("#", 1)[0]!;
    if (/^https?:\/\//i.test(loc)) return parsed(loc, core);
    if (loc.startsWith("www.") || (host !== "" && loc.startsWith(`${host}/`))) return parsed(`${scheme}//${loc}`, core);
    const isRelative = /^[\w./?~%-]/.test(loc) && !/^[a-z][a-z0-9+.-]*:/i.test(loc);
    const resolved = isRelative ? core.url(loc, sitemapUrl) : undefined;
    return resolved === undefined || "error" in resolved ? "" : resolved.url;
  });
  const batch = core.urls(absolute);
  return absolute.map((url, index) => url !== "" && batch.ok(index) ? url : undefined);
}

function parsed(loc: string, core: Pick<Core, "url">): string {
  if (!UNWRITTEN.test(loc)) return loc;
  const facts = core.url(loc);
  return "error" in facts ? "" : facts.url;
}
