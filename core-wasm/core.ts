/**
 * What the core answers, as its users see it. `loadCore()` in mod.ts gives an instance.
 * Invariant: total and pure - any bytes in, facts out; the same answer on every runtime; nothing here throws on input.
 */

/** Facts about one URL. `url` is the WHATWG href of any scheme; the rest is empty unless the scheme is http(s). */
export interface UrlFacts {
  readonly url: string;
  /** The normalised URL (NormalizeProfile, default rules): what the seen-set knows it by. "" with userinfo: never fetched. */
  readonly key: string;
  /** XXH64, seed 0, of the key's UTF-8. */
  readonly fingerprint: bigint;
  /** CDXJ form, `com,example)/path?query`; the href itself where the scheme is none of the special ones (dns:, urn:). */
  readonly surt: string;
  /** Lower-case ASCII hostname without port, IPv6 in brackets. */
  readonly host: string;
  /** Registered domain (public suffix list with its private section); an IP literal or bare name is its own. */
  readonly domain: string;
  /** Of the domain; -1 unless the scheme is http(s). */
  readonly slot: number;
}

/** Why a URL has no facts. `error` is a sentence: attempted, found, wanted. */
export interface UrlRefused {
  readonly error: string;
}

/**
 * A batch of http(s) URLs, normalised in one crossing; strings are decoded only when asked for, each time anew.
 */
export interface UrlBatch {
  readonly length: number;
  /** False: not a URL, not http(s), has userinfo, or is longer than the limit; then `why(i)` says it. */
  ok(index: number): boolean;
  why(index: number): string;
  /** One per URL, 0n where not ok. */
  readonly fingerprints: BigUint64Array;
  /** WHATWG href without fragment. */
  href(index: number): string;
  key(index: number): string;
  host(index: number): string;
}

export type LinkKind =
  | "a"
  | "area"
  | "link"
  | "iframe"
  | "frame"
  | "form"
  | "meta_refresh"
  | "embed";

export interface PageLink {
  /** Absolute WHATWG href, any scheme. */
  readonly url: string;
  /** The attribute's value, character references resolved. */
  readonly raw: string;
  readonly kind: LinkKind;
  /** The rel attribute's tokens, lower case, joined by one space; "" when absent. */
  readonly rel: string;
  /** The language of what it leads to, as the page says it; at most 64 bytes. */
  readonly hreflang?: string;
  /** Visible text of an `a`, white space folded, cut at 512 bytes of UTF-8. Only with `anchorText`, and where there is any. */
  readonly text?: string;
}

/** A page that a page leads to. */
export interface Outlink {
  /** Absolute http(s) URL, without fragment. */
  readonly url: string;
  /** Of the first link that led there. */
  readonly kind: LinkKind;
  /** XXH64 of `url`, in halves: low 32 bits, high 32 bits. Not its fingerprint, which is of the normalised URL. */
  readonly hash: readonly [low: number, high: number];
}

export interface OutlinkChoice {
  /** Leave out links whose rel has `nofollow`. Default false. */
  readonly skipNofollow?: boolean;
  /** Leave out URLs of whose hash this says so, before a string is made of them. */
  readonly isKnown?: (low: number, high: number) => boolean;
}

export interface ScanOptions {
  /** The page's URL (WHATWG href); `<base>` is applied on top of it. */
  readonly url: string;
  /** The Content-Type header's value, for its charset. */
  readonly contentType?: string;
  /** Report img, script, source, srcset, video, audio, track, embed, object, stylesheet, icon ... as kind `embed`. Default false. */
  readonly embeds?: boolean;
  /** Report GET forms' actions. Default false. */
  readonly forms?: boolean;
  /** Read the visible text. Default true; without it simhash, textHash and textLength are 0 and the scan is faster. */
  readonly text?: boolean;
  /** Report the text of each `a`. Implies that the visible text is read. Default false. */
  readonly anchorText?: boolean;
  /** Product token for `<meta name="outrider">`, beside `robots`. */
  readonly productToken?: string;
  /**
   * Leave the links where they are, in the core's memory, and save three copies: `links` and `outlinks` then answer until
   * this core's next call, and throw after it. Default false: they answer always.
   */
  readonly borrowLinks?: boolean;
  /** Bytes of `html` that are scanned. Default LIMITS.scanBytes, at most LIMITS.decodedBytes. */
  readonly maxBytes?: number;
}

export interface PageFacts {
  /** In page order. Strings are made at the first use; `outlinks` is the cheaper way to what a crawl follows. */
  readonly links: readonly PageLink[];
  /** The distinct http(s) URLs, without fragments, in page order: embeds and forms only when the scan was asked for them. */
  outlinks(choice?: OutlinkChoice): readonly Outlink[];
  /** The base URL that links were resolved by. */
  readonly base: string;
  readonly title: string;
  readonly lang: string;
  /** WHATWG encoding name, lower case. */
  readonly charset: string;
  readonly canonical?: string;
  readonly noindex: boolean;
  readonly nofollow: boolean;
  readonly noarchive: boolean;
  readonly nosnippet: boolean;
  /** SimHash of the visible text by what it repeats (docs/SIMHASH.md), 36 bits of 64; 0n without words. */
  readonly simhash: bigint;
  /** XXH64 of the visible text, white space folded. */
  readonly textHash: bigint;
  /** Visible text, bytes of UTF-8. */
  readonly textLength: number;
  /** A bound was reached: bytes, links, or output; what stands here is a prefix. */
  readonly truncated: boolean;
  /** Why the page could not be scanned within its budget of steps and memory: half a sentence. Nothing else stands here then. */
  readonly failed?: string;
}

/** A split-block Bloom filter over 64-bit keys (Putze, Sanders, Singler 2007; the Parquet layout). */
export interface Filter {
  /** Keys it was made for. */
  readonly capacity: number;
  /** Keys that were new when they were added. */
  readonly count: number;
  /** For each key: 1 = certainly new (now added), 0 = probably seen. A key repeated within the batch is new once. */
  addAll(keys: BigUint64Array): Uint8Array;
  /** For each key: 0 = certainly absent, 1 = probably present. */
  hasAll(keys: BigUint64Array): Uint8Array;
  /**
   * The filter as parts of a file, to be written one behind the other: views of its memory, valid until its next call.
   * `position`: how far in the owner's log everything is in it; restoring gives it back.
   */
  snapshot(position: bigint): readonly Uint8Array[];
  /** Frees its memory in the core. */
  free(): void;
}

/** A filter that grows: when a layer is full, one of twice the size is put on top. */
export interface LayeredFilter extends Filter {
  /** Layers now; each adds its own false positives (core-wasm/README.md). */
  readonly layers: number;
}

export interface LayerSizes {
  /** Keys of the first layer. */
  readonly firstKeys: number;
  /** Keys of a layer at most. */
  readonly mostKeys: number;
}

/** Answers of NearIndex.nearest, one for each fingerprint. */
export interface NearAnswers {
  /** The nearest held fingerprint, of several the smallest; 0n where none is near. */
  readonly fingerprints: BigUint64Array;
  /** Bits between the two, 0 to 3; 255 where none is near. */
  readonly distances: Uint8Array;
}

/** 64-bit fingerprints (SimHashes), to find those within three bits: exact. 44 bytes each, and 4 MB. */
export interface NearIndex {
  readonly capacity: number;
  /** Distinct fingerprints held. */
  readonly count: number;
  /** For each: 1 = added, 0 = the same one is held already, 2 = not added, the index is full. */
  addAll(fingerprints: BigUint64Array): Uint8Array;
  nearest(fingerprints: BigUint64Array): NearAnswers;
  /** All that are held within three bits of one, in no order, `most` at most, and never more than 16 million. Throws when `most` is no number from 0. */
  within(fingerprint: bigint, most: number): BigUint64Array;
  /** As Filter.snapshot. */
  snapshot(position: bigint): readonly Uint8Array[];
  free(): void;
}

/** Why a snapshot can't be used: a sentence. What it held must be built anew. */
export interface SnapshotRefused {
  readonly error: string;
}

export interface Core {
  /** Bumped by hand when normalisation, fingerprint, SURT, simhash or suffix list change their answers. */
  readonly keyVersion: number;
  /** XXH64 of the core's wasm bytes, 16 hex digits: informative. */
  readonly buildHash: string;
  /** Any scheme; relative input needs `base`. */
  url(input: string, base?: string): UrlFacts | UrlRefused;
  /** http(s) URLs that are absolute. Some 10,000 at once: throws when a batch outgrows the core's buffers (40 million characters). */
  urls(inputs: readonly string[]): UrlBatch;
  /** UrlFacts.surt of each in one crossing; "" where a URL has none or is refused. */
  surts(inputs: readonly string[]): string[];
  scan(html: Uint8Array, options: ScanOptions): PageFacts;
  /**
   * Text of `bytes` in a charset of the Encoding Standard, errors as U+FFFD; a byte order mark is a character like others.
   * Throws when `label` names none (`utf-8`, `latin1` ...), and for more than 44 million bytes.
   */
  decode(bytes: Uint8Array, label: string): string;
  /** Bytes of `text`; what the charset lacks as `&#NNNN;`. UTF-8 for UTF-16 and replacement, as pages' queries are. Throws as decode, and for more than 16 million bytes of UTF-8. */
  encode(text: string, label: string): Uint8Array;
  /** The charset (WHATWG name, lower case) that undeclared bytes are most likely in: README.md, Charsets. */
  detect(bytes: Uint8Array): string;
  /** The registered domain of a hostname (see UrlFacts.domain). Cached. */
  domainOf(host: string): string;
  xxh64(bytes: Uint8Array): bigint;
  /** SimHash of plain text in UTF-8. */
  simhash(text: Uint8Array): bigint;
  /** `capacity` keys at about 1 % false positives. */
  filter(capacity: number): Filter;
  /** Refuses what was cut, changed, or made by another keyVersion. */
  restoreFilter(snapshot: Uint8Array): { readonly filter: Filter; readonly position: bigint } | SnapshotRefused;
  layeredFilter(sizes: LayerSizes): LayeredFilter;
  restoreLayeredFilter(
    snapshot: Uint8Array,
    sizes: LayerSizes,
  ): { readonly filter: LayeredFilter; readonly position: bigint } | SnapshotRefused;
  /** An index of at most `capacity` fingerprints, 1 to 40 million. */
  nearIndex(capacity: number): NearIndex;
  restoreNearIndex(snapshot: Uint8Array): { readonly index: NearIndex; readonly position: bigint } | SnapshotRefused;
}
