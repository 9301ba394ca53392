/**
 * Sitemaps, sitemap indexes, RSS and Atom, read as a stream of tags: nothing is built but the list of entries.
 * Invariant: bounded by SITEMAP_LIMITS; no entity is expanded but XML's own five and character references, and nothing is
 * loaded (E97); broken markup gives what can be read. Elements of extensions (image:loc) are not the sitemap's.
 */

import { Parser } from "htmlparser2";
import { SITEMAP_LIMITS, type SitemapEntry, type SitemapKind } from "./sitemap.ts";
import { frequencyOf, lastmodOf, priorityOf, trimmed } from "./values.ts";

const ROOTS: Readonly<Record<string, SitemapKind>> = {
  urlset: "urlset",
  sitemapindex: "index",
  rss: "rss",
  rdf: "rss",
  feed: "atom",
};

/** The element that holds one entry. */
const ENTRY: Readonly<Record<SitemapKind, string>> = {
  urlset: "url",
  index: "sitemap",
  rss: "item",
  atom: "entry",
  text: "",
};

const DATES = new Set(["lastmod", "pubdate", "date", "updated", "published", "modified"]);

/** A longer tag is left to the parser. */
const HELD_CHARS = 64 * 1024;

interface Draft {
  loc: string;
  /** A feed's guid: the address where there is no link. */
  guid: string;
  lastmod: string;
  changefreq: string;
  priority: string;
  /** Text of the entry itself: the address where its element was forgotten. */
  text: string;
  readonly alternates: string[];
}

const emptyDraft = (): Draft => ({
  loc: "",
  guid: "",
  lastmod: "",
  changefreq: "",
  priority: "",
  text: "",
  alternates: [],
});

export class XmlSitemap {
  /** Undefined until the root element was seen, and when it is none of ours. */
  kind: SitemapKind | undefined;
  readonly entries: SitemapEntry[] = [];
  readonly sitemaps: string[] = [];
  /** Nothing more is taken in. */
  isFull = false;
  /** The first element, where it isn't a sitemap's. */
  strangeRoot = "";
  readonly #now: number;
  readonly #isSomewhere: boolean;
  readonly #parser: Parser;
  /** Of the root: elements with another prefix are extensions'. */
  #prefix = "";
  #draft: Draft | undefined;
  /** The field whose text is being read, and how deep below its element we are. */
  #field = "";
  #below = 0;
  #text = "";
  /** Elements that are open, and those that were with the newest entry. */
  #depth = 0;
  #entryDepth = 0;
  /** The text so far was ended by markup: it isn't cut off. */
  #isWhole = true;
  /** A tag without its end, so far: at the end of the file it is none, and the parser would take it for text. */
  #held = "";

  /** `now`: wall ms; dates after it aren't believed. `isSomewhere`: the root isn't the first element, but it is there. */
  constructor(now: number, isSomewhere = false) {
    this.#now = now;
    this.#isSomewhere = isSomewhere;
    this.#parser = new Parser({
      onopentag: (name, attributes) => this.#open(name, attributes),
      onclosetag: (name) => this.#close(name),
      ontext: (text) => this.#take(text),
    }, { xmlMode: true, decodeEntities: true });
  }

  write(text: string): void {
    if (this.isFull) return;
    const all = this.#held + text;
    const at = all.lastIndexOf("<");
    const isBegun = at >= 0 && all.length - at <= HELD_CHARS && all.indexOf(">", at) < 0;
    this.#held = isBegun ? all.slice(at) : "";
    this.#parser.write(isBegun ? all.slice(0, at) : all);
  }

  /** `tail`: the last characters of the file, by which a value that is cut off is told from one that lacks its end tag. */
  end(tail: string): void {
    const isInCdata = tail.lastIndexOf("<![CDATA[") > tail.lastIndexOf("]]>");
    this.#isWhole = this.#held !== "" && !isInCdata;
    if (!this.isFull) this.#parser.end();
    this.#flush();
  }

  #open(name: string, attributes: Readonly<Record<string, string>>): void {
    const [prefix, local] = split(name);
    if (++this.#depth > SITEMAP_LIMITS.depth) this.isFull = true;
    if (this.isFull) return;
    if (this.kind === undefined) return this.#root(prefix, local);
    if (this.#field !== "") {
      this.#below++;
      return;
    }
    if (local === ENTRY[this.kind] && this.#isOurs(prefix)) {
      this.#begin();
      this.#entryDepth = this.#depth;
    } else if (local === "link" && this.#draft !== undefined) this.#link(prefix, attributes);
    else if (this.#isField(prefix, local)) this.#field = local;
  }

  #root(prefix: string, local: string): void {
    if (this.strangeRoot !== "") return;
    // What a server warns of is marked up; a page that shows a sitemap is none.
    if (this.#isSomewhere && ROOTS[local] === undefined && local !== "html") return;
    this.kind = ROOTS[local];
    this.#prefix = prefix;
    // RDF's items are RSS 1.0's, in another namespace than the root.
    if (local === "rdf") this.#prefix = "";
    if (this.kind === undefined) this.strangeRoot = local;
  }

  #isOurs(prefix: string): boolean {
    return prefix === this.#prefix || prefix === "";
  }

  #isField(prefix: string, local: string): boolean {
    if (this.#draft === undefined && local !== "loc") return false;
    if (DATES.has(local)) return this.#isOurs(prefix) || prefix === "dc" || prefix === "dcterms";
    if (!this.#isOurs(prefix)) return false;
    if (this.kind === "urlset" || this.kind === "index") return ["loc", "changefreq", "priority"].includes(local);
    return local === "guid";
  }

  #begin(): void {
    this.#flush();
    this.#draft = emptyDraft();
  }

  /** RSS has the address as text, Atom as an attribute; sitemaps name other languages of the page. */
  #link(prefix: string, { href = "", rel = "alternate" }: Readonly<Record<string, string>>): void {
    const draft = this.#draft!;
    if (this.kind === "rss" && this.#isOurs(prefix) && href === "") this.#field = "link";
    else if (this.kind === "atom" && this.#isOurs(prefix) && rel === "alternate") draft.loc ||= href;
    else if (this.kind === "urlset" && rel.includes("alternate") && href !== "") {
      if (draft.alternates.length < SITEMAP_LIMITS.alternates) draft.alternates.push(trimmed(href));
    }
  }

  #take(text: string): void {
    if (this.#field === "") {
      const draft = this.#draft;
      // Not what stands in elements of others, as image:loc.
      if (this.#depth !== this.#entryDepth) return;
      if (draft !== undefined && draft.loc === "" && draft.text.length <= SITEMAP_LIMITS.valueChars) draft.text += text;
    } else if (this.#text.length <= SITEMAP_LIMITS.valueChars) this.#text += text;
  }

  #close(name: string): void {
    const [, local] = split(name);
    this.#depth--;
    if (this.#field !== "") {
      if (this.#below > 0) this.#below--;
      else this.#fieldEnds();
      return;
    }
    if (this.kind !== undefined && local === ENTRY[this.kind]) this.#flush();
  }

  #fieldEnds(): void {
    const value = this.#isWhole && this.#text.length <= SITEMAP_LIMITS.valueChars ? trimmed(this.#text) : "";
    const field = this.#field;
    this.#field = "";
    this.#text = "";
    if (value === "") return;
    // A second address without a new entry: the entry's end tag was forgotten.
    if (field === "loc" && this.#draft !== undefined && this.#draft.loc !== "") this.#begin();
    const draft = this.#draft ??= emptyDraft();
    if (field === "loc" || field === "link") draft.loc ||= value;
    else if (field === "guid") draft.guid ||= value;
    else if (field === "changefreq" || field === "priority") draft[field] ||= value;
    else draft.lastmod ||= value;
  }

  #flush(): void {
    const draft = this.#draft;
    this.#draft = undefined;
    if (draft === undefined) return;
    const loc = addressOf(draft);
    if (loc === "") return;
    const list = this.kind === "index" ? this.sitemaps : this.entries;
    if (list.length >= SITEMAP_LIMITS.entries) {
      this.isFull = true;
      return;
    }
    if (this.kind === "index") this.sitemaps.push(loc);
    else this.entries.push(this.#entry(loc, draft));
  }

  #entry(loc: string, draft: Draft): SitemapEntry {
    const lastmod = lastmodOf(draft.lastmod, this.#now);
    const changefreq = frequencyOf(draft.changefreq);
    const priority = priorityOf(draft.priority);
    return {
      loc,
      ...(lastmod === undefined ? {} : { lastmod }),
      ...(changefreq === undefined ? {} : { changefreq }),
      ...(priority === undefined ? {} : { priority }),
      ...(draft.alternates.length === 0 ? {} : { alternates: draft.alternates }),
    };
  }
}

/** A feed's guid, or the entry's own text, stands in for an address that is missing. */
function addressOf({ loc, guid, text }: Draft): string {
  if (loc !== "") return loc;
  return [guid, trimmed(text)].find((one) => /^https?:\/\/\S+$/i.test(one)) ?? "";
}

/** Prefix and local name, in lower case: sitemaps in the wild have them in any. */
function split(name: string): [prefix: string, local: string] {
  const at = name.indexOf(":");
  return at < 0 ? ["", name.toLowerCase()] : [name.slice(0, at).toLowerCase(), name.slice(at + 1).toLowerCase()];
}
