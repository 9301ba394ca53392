/**
 * What the edge asks of the world. Adapters: edge/adapters (HTTP coordinator), edge/http (HTTP/1.1), edge/warc (archive).
 * Invariant: expected failures are values; a rejected promise means local trouble (disk, coordinator), never the web's.
 */

import type { PackedPage, PageToScan } from "./steps/packed_page.ts";
import type { FailureClass, FrontierVerbs, RecordRef } from "../protocol/mod.ts";

/** A value that is built field by field: absent fields stay absent, without the cost of spreading. */
export type Draft<T> = { -readonly [K in keyof T]: T[K] };

/** The coordinator, in this process or across HTTP. */
export type Frontier = FrontierVerbs;

export interface FetchLimits {
  readonly connectMs: number;
  readonly idleMs: number;
  readonly wallMs: number;
  readonly headerBytes: number;
  readonly wireBytes: number;
  readonly decodedBytes: number;
}

/** Resolves to false when no request may go to the address now. Never rejects. */
export type AdmitAddress = (address: string) => true | Promise<boolean>;

export interface FetchRequest {
  /** WHATWG href, http or https; the fragment isn't sent. */
  readonly url: string;
  /** In the order in which they are sent, after Host. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly limits: FetchLimits;
  /** Connect only to addresses that the operator opened (crawls with delay 0). */
  readonly onlyOpened: boolean;
  readonly signal?: AbortSignal;
  /**
   * Asked for each address before it is connected to, and before a kept connection to it is used. When the answer is no,
   * the next address is tried; without one the fetch fails as `aborted` with nothing sent.
   */
  readonly admitAddress?: AdmitAddress;
  /** Monotonic ms after which the request isn't sent any more: it fails as `aborted` with nothing sent. Absent = never. */
  readonly sendBy?: number;
  /**
   * Asked of a response head before its body is read: a clause that says why the body isn't wanted ends the exchange
   * there, and is `Exchange.stopped`. The connection is lost by it.
   */
  readonly unwanted?: (head: Pick<Exchange, "status" | "headers">) => string | undefined;
  /** Called as the head goes to the socket: now the server can see it. Again where it is sent anew. */
  readonly onSent?: () => void;
}

export interface FetchTimings {
  /** Monotonic ms at the request's start. */
  readonly startedAt: number;
  /** Name resolution, TCP and TLS of a connection that was opened for this request. */
  readonly connectMs?: number;
  /** Its TCP handshake alone, with the address that answered: one round trip. */
  readonly tcpMs?: number;
  readonly firstByteMs?: number;
  readonly totalMs: number;
}

/** One HTTP exchange; redirects aren't followed. */
export interface Exchange {
  readonly ok: true;
  readonly url: string;
  readonly status: number;
  readonly reason: string;
  /** "1.0", "1.1" or "2". */
  readonly httpVersion: string;
  /** e.g. "TLSv1.3"; absent over plain HTTP. */
  readonly tlsVersion?: string;
  /** As received: order, case and repeats kept; values are latin-1 strings. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The request's head as it was sent, with the empty line. */
  readonly requestHead: Uint8Array;
  /** Content-coded body: transfer-coding removed, content-coding kept. */
  readonly body: Uint8Array;
  /** `body` with every content-coding undone, as far as the caps and the data allowed. */
  readonly decoded: Uint8Array;
  readonly truncated?: "length" | "time" | "disconnect" | "unspecified";
  /** Why the body wasn't read, as `unwanted` said. */
  readonly stopped?: string;
  /** Why `decoded` is only a prefix, as a sentence; absent when it is whole. */
  readonly decodeProblem?: string;
  readonly remoteAddress: string;
  readonly timings: FetchTimings;
}

export interface FetchFailure {
  readonly ok: false;
  readonly failure: FailureClass;
  /** One sentence: attempted, found, wanted. */
  readonly detail: string;
  /** False when no packet was sent to the host (address refused, DNS failure, aborted before connect). */
  readonly sent: boolean;
  readonly remoteAddress?: string;
  /** Of failure `dns`: no resolver answered, so that nothing is known of the name. */
  readonly unanswered?: boolean;
  /**
   * A connection that was kept from an earlier request ended before any of the answer came: the server may never have
   * seen this one. Asked again it goes to a new connection.
   */
  readonly lost?: true;
  readonly timings: FetchTimings;
}

/** Tells a web that fails from a machine that is cut off. Never rejects. */
export interface NetworkProbe {
  /** When a resolver last answered for any name, if only with "no such name"; monotonic ms, -Infinity = it never did. */
  resolvedAt(): number;
  /** Does a TCP connection to this address, which answered before, stand within `ms`? Nothing is sent on it. */
  connects(address: string, port: number, ms: number): Promise<boolean>;
  /** Does a resolver answer within `ms` for a name that none can have in its cache, if only with "no such name"? */
  resolves(ms: number): Promise<boolean>;
  /** Does one answer for any of these names, be it from a cache? */
  knows(names: readonly string[], ms: number): Promise<boolean>;
}

/**
 * Undoes gzip, of at most `capBytes`; `isCut` when there is more, or the rest can't be read. Never rejects.
 */
export type Unpack = (bytes: Uint8Array, capBytes: number) => Promise<{
  readonly bytes: Uint8Array;
  readonly isCut: boolean;
}>;

export interface Fetcher {
  fetch(request: FetchRequest): Promise<Exchange | FetchFailure>;
  close(): Promise<void>;
}

/** Cookies of one user (RFC 6265): what servers set comes back to them, and to nobody else. */
export interface CookieJar {
  /** The Cookie field's value for a request of this URL; undefined when there is none to send. */
  of(url: string): string | undefined;
  /** Takes in what a response to this URL sets. True when the jar holds something else now. */
  take(url: string, headers: Exchange["headers"]): boolean;
}

/** What is archived of one exchange. */
export interface ArchiveEntry {
  readonly exchange: Exchange;
  /** Wall ms at the start of the fetch: the WARC-Date of request and response. */
  readonly fetchedAt: number;
  /** Makes the record id: the same capture reported twice has the same id. `lease/epoch/target/hop`. */
  readonly captureName: string;
  /** `sha1:` + base32 of `exchange.body`. */
  readonly payloadDigest: string;
  /** SHA-256 of `exchange.decoded`, lower-case hex. */
  readonly contentHash?: string;
  /** What the scan found; absent where no HTML is. */
  readonly facts?: { readonly charset: string; readonly simhash: string; readonly outlinks: number };
  /** An acknowledged capture that has this payload, or the one that a 304 speaks of: a revisit is written. */
  readonly refersTo?: EarlierCapture;
}

/** A capture of a whole response, in the archive for certain. */
export interface EarlierCapture {
  readonly url: string;
  /** Its WARC-Date, wall ms. */
  readonly fetchedAt: number;
  readonly payloadDigest: string;
  /** Its name, where it is known. */
  readonly captureName?: string;
}

export interface Archived {
  readonly record: RecordRef;
  /** Resolves when the records are; rejects when they never will be. */
  readonly durable: Promise<void>;
}

export interface Archive {
  /** Where this archive's files lie: every storage_key begins with it. */
  readonly storagePrefix: string;
  /** Resolves when the place of the records is known, which may be before they are durable. Calls may overlap. */
  append(entry: ArchiveEntry): Promise<Archived>;
  /** Rejects with a sentence when an append would fail for want of this machine's: asked while leasing pauses. */
  probe?(): Promise<void>;
  /** Everybody waits for what was appended: an archive that gathers captures gathers no longer than it must. */
  hurry?(): void;
  close(): Promise<void>;
}

/** Threads that scan pages, each with a core of its own. */
export interface ScanThreads {
  /** Undefined: handing it over costs more than scanning it here. Never rejects. */
  scan(page: PageToScan): Promise<PackedPage> | undefined;
}
