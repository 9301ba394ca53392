/**
 * What the house asks of the machine it runs on. Domain code takes these as arguments and never names a runtime.
 * Invariant: every port has one adapter that works on Deno and Bun alike, or one for each with the same contract.
 */

export interface Clock {
  /** ms since 1970-01-01 UTC; may jump. For records and for people. */
  wallMs(): number;
  /** ms since an arbitrary start; never goes back. For gaps and deadlines. */
  monotonicMs(): number;
  /** Resolves after `ms` (0 = next macrotask), at once when `signal` is aborted. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** `bytes` random bytes as lower-case hex. */
  hex(bytes: number): string;
}

export type LogFields = Readonly<Record<string, unknown>>;

/** Structured, one event a line; `message` is a sentence without values, the values are fields. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export interface Digest {
  /** Lower-case hex, 64 characters. */
  sha256Hex(bytes: Uint8Array): string;
  /** RFC 4648 base32 without padding of the SHA-1 of `parts`, one after the other: 32 characters. */
  sha1Base32(...parts: readonly Uint8Array[]): string;
  /** Lower-case hex of the same digest: 40 characters. */
  sha1Hex(...parts: readonly Uint8Array[]): string;
}

/** Marks text as said by one of those who share a secret. */
export interface Signer {
  /** Lower-case hex of the HMAC-SHA256 (RFC 2104) of the text's UTF-8, 64 characters. */
  sign(text: string): string;
  /** Whether `signature` is that of `text`; takes the same time wherever they differ. */
  verify(text: string, signature: string): boolean;
}

/** A gzip member that isn't written yet: it goes to where it is wanted without an array of its own on the way. */
export interface StoredMember {
  /** Its bytes. */
  readonly length: number;
  /** Writes them to `target[at ..]`, which has room for them. */
  writeTo(target: Uint8Array, at: number): void;
}

export interface Gzip {
  /** One complete gzip member (RFC 1952) of `parts`, one after the other, deflated. */
  compress(parts: readonly Uint8Array[]): Promise<Uint8Array>;
  /** As above, but the data stand in it as they are: far cheaper, and hardly longer where they are compressed already. */
  store(parts: readonly Uint8Array[]): StoredMember;
}

/** What stands at the start of some bytes that should be a gzip member. */
export type GzipMember =
  /** One whole member whose checksum is right; `used` is its length in the input. */
  | { readonly state: "whole"; readonly data: Uint8Array; readonly used: number }
  /** Right so far: the member goes on behind the input's end. */
  | { readonly state: "torn" }
  /** Not gzip, broken, or larger than asked for; `why` says it in half a sentence. */
  | { readonly state: "broken"; readonly why: string };

export interface Gunzip {
  /** The first gzip member of `bytes`, at most `maxBytes` when decompressed. Never throws. */
  member(bytes: Uint8Array, maxBytes: number): GzipMember;
  /**
   * Whether the data of the member at the start of `bytes` may begin with `text` (ASCII): a look at its first kilobyte,
   * whatever the member's size. Never throws.
   */
  mayBegin(bytes: Uint8Array, text: string): boolean;
}

/**
 * A quicker way for the common case: the data of `bytes` when they are exactly one sound gzip member that holds at most
 * `maxBytes`; undefined for everything else, and wherever the runtime has no such way. Never throws.
 */
export type WholeGzip = (bytes: Uint8Array, maxBytes: number) => Uint8Array | undefined;

/** A file that only grows, except for `truncate` after a crash. */
export interface AppendFile {
  /** Bytes in the file, unsynced ones included. */
  readonly size: number;
  append(bytes: Uint8Array): Promise<void>;
  /** Resolves when everything appended before the call is on stable storage (fsync). */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The few file operations that are needed; paths are absolute or relative to the working directory. */
export interface Files {
  /** Creates parent folders; the folder entry is synced too, so that a new file survives a power cut. */
  openAppend(path: string): Promise<AppendFile>;
  read(path: string): Promise<Uint8Array | undefined>;
  /** Bytes `[offset, offset + length)`, fewer at the end of the file; undefined when there is no such file. */
  readRange(path: string, offset: number, length: number): Promise<Uint8Array | undefined>;
  /** Written beside, synced, then renamed: never half there. */
  writeWhole(path: string, bytes: Uint8Array): Promise<void>;
  truncate(path: string, size: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Names (not paths) in a folder, sorted; empty when there is no such folder. */
  list(folder: string): Promise<string[]>;
  size(path: string): Promise<number | undefined>;
}

/** Whole objects under names with slashes, as a shared object store keeps them. */
export interface BlobStore {
  /** Replaces what is there. Durable when it resolves, and never half there. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Undefined when there is no such object. */
  get(name: string): Promise<Uint8Array | undefined>;
  /** Does nothing when there is no such object. */
  remove(name: string): Promise<void>;
}

/** A store as archives and their readers use it. */
export interface SharedBlobs extends BlobStore {
  /** As put, of chunks one after the other, in memory that doesn't grow with them. */
  putChunks(name: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** Bytes `[offset, offset + length)`, fewer at the end; undefined when there is no such object. */
  range(name: string, offset: number, length: number): Promise<Uint8Array | undefined>;
  /** Bytes; undefined when there is no such object. */
  size(name: string): Promise<number | undefined>;
  /** Names, in full, of the whole objects right below `folder`, sorted; none when there is no such folder. */
  list(folder: string): Promise<string[]>;
}

/** An HTTP server for a `fetch`-style handler. */
export interface Server {
  readonly url: string;
  close(): Promise<void>;
}

export interface ServeOptions {
  readonly hostname: string;
  /** 0 = any free port. */
  readonly port: number;
  readonly handler: (request: Request, remoteAddress: string) => Response | Promise<Response>;
  readonly tls?: { readonly cert: string; readonly key: string };
}

export type Serve = (options: ServeOptions) => Promise<Server>;
