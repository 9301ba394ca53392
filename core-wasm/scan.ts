/**
 * One page, one crossing: hands it to the core's scan and reads the answer (assembly/html/answer.ts).
 * Invariant: never throws on input, and ends within its budget of steps and memory. A page that passes it, or traps, shows a bug
 * of the core: it counts as one without facts, `failed` says why, and the instance is replaced.
 */

import { BUFFER, reserve } from "./buffers.ts";
import { charsetId } from "./charset_ids.ts";
import type { PageFacts, ScanOptions } from "./core.ts";
import type { CoreSlot, RawDoor } from "./instance.ts";
import { putPage } from "./page_text.ts";
import { NO_ROWS, ROW, ScannedPage } from "./scanned_page.ts";
import { LIMITS } from "../protocol/limits.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Bits of raw_scan's `wants`. */
const WANT = { embeds: 1, forms: 2, noText: 8, xhtml: 16, anchors: 32 };
/** From this bit on: the number of the page's charset. */
const WANT_CHARSET = 8;

/** 32-bit words of the header (assembly/html/answer.ts). */
const WORD = { links: 0, urls: 1, strings: 3, rows: 5, flags: 6, title: 7, lang: 9, base: 11, canonical: 13, text: 15 };
const HEADER_WORDS = 20;
const FLAG = { noindex: 1, nofollow: 2, truncated: 4, noarchive: 8, nosnippet: 16 };

/** Bytes of a URL or product token that are handed over; longer ones are no URL of a page. */
const OPTION_BYTES = 64 * 1024;

/** The bytes of `text` in `buffer`, 0 for a text that is too long. Encoded in place: room for the worst case is there. */
function putText(raw: RawDoor, buffer: number, text: string): number {
  if (text === "" || text.length > OPTION_BYTES) return 0;
  const room = text.length * 3;
  const address = reserve(raw, buffer, room);
  const { written } = encoder.encodeInto(text, new Uint8Array(raw.memory.buffer, address, room));
  return written > OPTION_BYTES ? 0 : written;
}

/** Served so that browsers read it as XML. Its tokens are HTML's all the same: pages that aren't well formed are read too. */
function isXhtml(contentType: string | undefined): boolean {
  return contentType !== undefined && /^\s*application\/xhtml\+xml\s*(;|$)/i.test(contentType);
}

type Bounded = ScanOptions & { readonly maxBytes: number };

/**
 * Turns of loops that a page may take: for each byte, and for any page. The worst text that is known takes 43 a byte, real
 * pages 1 to 3; 1,300 links against a base of 8 KB take 21 million. An endless page of 20 KB is stopped after 0.05 s in code
 * that is compiled, and after some 2 s where Bun still interprets it.
 */
const STEPS_PER_BYTE = 100;
const STEPS_PER_PAGE = 50_000_000;

/** See Core.scan. */
export function scanPage(slot: CoreSlot, html: Uint8Array, options: ScanOptions): PageFacts {
  const maxBytes = Math.min(options.maxBytes ?? LIMITS.scanBytes, LIMITS.decodedBytes);
  const steps = STEPS_PER_PAGE + STEPS_PER_BYTE * Math.min(html.length, maxBytes);
  try {
    return slot.run(({ raw }) => scanWith(raw, html, { ...options, maxBytes }, slot), steps);
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    return nothingOf(options.url, "utf-8", error.message);
  }
}

function scanWith(raw: RawDoor, html: Uint8Array, options: Bounded, slot: CoreSlot): PageFacts {
  const text = putPage(raw, html, { contentType: options.contentType, maxBytes: options.maxBytes });
  const urlLength = putText(raw, BUFFER.input2, options.url);
  const tokenLength = putText(raw, BUFFER.input3, options.productToken ?? "");
  const wants = (options.embeds ? WANT.embeds : 0) | (options.forms ? WANT.forms : 0) |
    (charsetId(text.charset) << WANT_CHARSET) | (options.text === false && !options.anchorText ? WANT.noText : 0) |
    (options.anchorText ? WANT.anchors : 0) | (isXhtml(options.contentType) ? WANT.xhtml : 0);
  const header = raw.raw_scan(text.length, urlLength, tokenLength, wants) >>> 0;
  if (header === 0) return nothingOf(options.url, text.charset, "there was no room for what it holds");
  return readAnswer(raw, header, text, options.borrowLinks ? slot : undefined);
}

/** The links are the page's own copy, unless there is a slot that lends them. */
function readAnswer(
  raw: RawDoor,
  header: number,
  text: { charset: string; cut: boolean },
  lender: CoreSlot | undefined,
): PageFacts {
  const { buffer } = raw.memory;
  const words = new Uint32Array(buffer, header, HEADER_WORDS);
  const hashes = new BigUint64Array(buffer, header + 64, 2);
  const bytesAt = (word: number) => new Uint8Array(buffer, words[word], words[word + 1]);
  const textAt = (word: number) => words[word + 1] === 0 ? "" : decoder.decode(bytesAt(word));
  const flags = words[WORD.flags]!;
  const rows = words[WORD.links] === 0 ? NO_ROWS : new Uint32Array(buffer, words[WORD.rows], words[WORD.links]! * ROW);
  const [urls, strings] = [bytesAt(WORD.urls), bytesAt(WORD.strings)];
  return new ScannedPage({
    rows: lender ? rows : rows.slice(),
    urls: lender ? urls : urls.slice(),
    strings: lender ? strings : strings.slice(),
    lender,
    base: textAt(WORD.base),
    title: textAt(WORD.title),
    lang: textAt(WORD.lang),
    charset: text.charset,
    canonical: words[WORD.canonical + 1] === 0 ? undefined : textAt(WORD.canonical),
    noindex: (flags & FLAG.noindex) !== 0,
    nofollow: (flags & FLAG.nofollow) !== 0,
    noarchive: (flags & FLAG.noarchive) !== 0,
    nosnippet: (flags & FLAG.nosnippet) !== 0,
    simhash: hashes[0]!,
    textHash: hashes[1]!,
    textLength: words[WORD.text]!,
    truncated: text.cut || (flags & FLAG.truncated) !== 0,
  });
}

/** A page that couldn't be scanned. */
function nothingOf(url: string, charset: string, failed: string): PageFacts {
  const none = new Uint8Array(0);
  return new ScannedPage({
    rows: NO_ROWS,
    urls: none,
    strings: none,
    lender: undefined,
    base: url,
    title: "",
    lang: "",
    charset,
    canonical: undefined,
    noindex: false,
    nofollow: false,
    noarchive: false,
    nosnippet: false,
    simhash: 0n,
    textHash: 0n,
    textLength: 0,
    truncated: true,
    failed,
  });
}
