/**
 * PageFacts over the bytes that the core answered: links become strings and objects only when they are asked for.
 * Invariant: its own copy of the answer, valid after later scans; or lent by the core, and then never read when stale.
 */

import type { LinkKind, Outlink, OutlinkChoice, PageFacts, PageLink } from "./core.ts";

/** In the order of assembly/html/links.ts. */
const KINDS: readonly LinkKind[] = ["a", "area", "link", "iframe", "frame", "form", "meta_refresh", "embed"];
/** Words of a row: end of href, of href without fragment, first link with the same, end of raw, of rel, kind, end of hreflang, of text; low and high half of the hash. */
export const ROW = 10;
const KIND_MASK = 0xff;
const NOFOLLOW = 0x100;
const HTTP = 0x200;

export const NO_ROWS: Uint32Array = new Uint32Array(0);

/** Hrefs are ASCII (URL Standard 4.5), so that bytes and string indices agree. */
const asciiDecoder = new TextDecoder("latin1");
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export interface Answer extends Omit<PageFacts, "links" | "outlinks" | "canonical"> {
  readonly rows: Uint32Array;
  readonly urls: Uint8Array;
  readonly strings: Uint8Array;
  /** Whose memory rows, urls and strings lie in; undefined when they are copies. */
  readonly lender: Lender | undefined;
  readonly canonical: string | undefined;
}

/** What is lent stands until the number of calls changes. */
interface Lender {
  readonly calls: number;
}

export class ScannedPage implements PageFacts {
  readonly base: string;
  readonly title: string;
  readonly lang: string;
  readonly charset: string;
  declare readonly canonical?: string;
  readonly noindex: boolean;
  readonly nofollow: boolean;
  readonly noarchive: boolean;
  readonly nosnippet: boolean;
  readonly simhash: bigint;
  readonly textHash: bigint;
  readonly textLength: number;
  readonly truncated: boolean;
  declare readonly failed?: string;
  readonly #rows: Uint32Array;
  readonly #urls: Uint8Array;
  readonly #strings: Uint8Array;
  readonly #lender: Lender | undefined;
  readonly #lentAt: number;
  #links: readonly PageLink[] | undefined;

  constructor(answer: Answer) {
    this.base = answer.base;
    this.title = answer.title;
    this.lang = answer.lang;
    this.charset = answer.charset;
    if (answer.canonical !== undefined) this.canonical = answer.canonical;
    this.noindex = answer.noindex;
    this.nofollow = answer.nofollow;
    this.noarchive = answer.noarchive;
    this.nosnippet = answer.nosnippet;
    this.simhash = answer.simhash;
    this.textHash = answer.textHash;
    this.textLength = answer.textLength;
    this.truncated = answer.truncated;
    if (answer.failed !== undefined) this.failed = answer.failed;
    this.#rows = answer.rows;
    this.#urls = answer.urls;
    this.#strings = answer.strings;
    this.#lender = answer.lender;
    this.#lentAt = answer.lender?.calls ?? 0;
  }

  #checkLoan(): void {
    if (this.#lender === undefined || this.#lender.calls === this.#lentAt) return;
    throw new Error(
      `Reading the borrowed links of a page found that the core was called since; read them before, or scan without borrowLinks.`,
    );
  }

  get links(): readonly PageLink[] {
    this.#links ??= this.#readLinks();
    return this.#links;
  }

  #readLinks(): readonly PageLink[] {
    this.#checkLoan();
    const rows = this.#rows;
    const hrefs = asciiDecoder.decode(this.#urls);
    const links: PageLink[] = [];
    let hrefStart = 0;
    let rawStart = 0;
    for (let at = 0; at < rows.length; at += ROW) {
      const rawEnd = rows[at + 3]!;
      const relEnd = rows[at + 4]!;
      const languageEnd = rows[at + 6]!;
      const textEnd = rows[at + 7]!;
      links.push({
        url: hrefs.slice(hrefStart, rows[at]!),
        raw: this.#text(rawStart, rawEnd),
        kind: KINDS[rows[at + 5]! & KIND_MASK]!,
        rel: this.#text(rawEnd, relEnd),
        ...(relEnd === languageEnd ? {} : { hreflang: this.#text(relEnd, languageEnd) }),
        ...(languageEnd === textEnd ? {} : { text: this.#text(languageEnd, textEnd) }),
      });
      hrefStart = rows[at]!;
      rawStart = textEnd;
    }
    return links;
  }

  #text(start: number, end: number): string {
    return start === end ? "" : decoder.decode(this.#strings.subarray(start, end));
  }

  outlinks(choice: OutlinkChoice = {}): readonly Outlink[] {
    this.#checkLoan();
    const rows = this.#rows;
    let hrefs: string | undefined;
    const refused = choice.skipNofollow ? NOFOLLOW : 0;
    const taken = new Uint8Array(rows.length / ROW);
    const outlinks: Outlink[] = [];
    let start = 0;
    for (let at = 0; at < rows.length; at += ROW) {
      const flags = rows[at + 5]!;
      const first = rows[at + 2]!;
      if ((flags & HTTP) !== 0 && (flags & refused) === 0 && taken[first] === 0) {
        taken[first] = 1;
        const low = rows[at + 8]!;
        const high = rows[at + 9]!;
        if (choice.isKnown?.(low, high) !== true) {
          // Most pages of a site lead to known ones only: then no string is made.
          hrefs ??= asciiDecoder.decode(this.#urls);
          outlinks.push({ url: hrefs.slice(start, rows[at + 1]!), kind: KINDS[flags & KIND_MASK]!, hash: [low, high] });
        }
      }
      start = rows[at]!;
    }
    return outlinks;
  }
}
