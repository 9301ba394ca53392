/**
 * The Archive port on a blob store: captures gather in a segment, which is one WARC file and becomes one object
 * (docs/adr/0024).
 * Invariants: an append is durable only when the object that has its records is; every segment begins with
 * warcinfo; no object is written twice under one name by design, and what wasn't acknowledged is nowhere promised.
 * Memory: the segments that are gathering or on their way; what may wait is bounded by the edge's backlog.
 */

import type { BlobStore } from "../../runtime/ports.ts";
import type { Archive, Archived, ArchiveEntry } from "../ports.ts";
import { ANSWER, type Members } from "./capture_members.ts";
import type { Piece } from "./open_file.ts";
import { Compressing, WarcNames, type WriterParts, type WriterSettings } from "./warc_writer.ts";
import { warcinfoParts } from "./warcinfo.ts";

export interface SegmentSettings extends WriterSettings {
  /** A segment that has reached this size is sent. Default 16 MB. */
  readonly segmentBytes?: number | undefined;
  /** ... and one of this age, ms. Default 10 s. */
  readonly segmentMs?: number | undefined;
}

/** The objects are named by their storage keys. */
export interface SegmentParts extends WriterParts {
  readonly blobs: Pick<BlobStore, "put" | "remove">;
  readonly settings: SegmentSettings;
}

const SEGMENT_BYTES = 16_000_000;
const SEGMENT_MS = 10_000;
/** Least age of a segment that is sent since everybody waits for it: bounds the number of small objects. */
const HURRIED_MS = 1_000;
/** Segments on their way at the same time; more wait, so that each gets there. */
const UPLOADS = 3;

export function openSegmentArchive(parts: SegmentParts): Archive {
  const writer = new SegmentWriter(parts);
  return {
    storagePrefix: parts.storagePrefix,
    append: (entry) => writer.append(entry),
    hurry: () => writer.hurry(),
    probe: () => probeStore(parts),
    close: () => writer.close(),
  };
}

const PROBE_BYTES = 100_000;

/** Rejects, saying why, when a segment couldn't be made durable now. */
async function probeStore({ blobs, storagePrefix }: SegmentParts): Promise<void> {
  const name = `${storagePrefix}warc/probe`;
  await blobs.put(name, new Uint8Array(PROBE_BYTES));
  await blobs.remove(name);
}

interface Segment {
  readonly key: string;
  readonly begunAt: number;
  readonly pieces: Piece[];
  bytes: number;
  isHurried: boolean;
  readonly sent: Promise<void>;
  readonly settle: (error?: Error) => void;
  /** Aborted when it is sealed: its timer is over. */
  readonly sealed: AbortController;
}

class SegmentWriter {
  readonly #parts: SegmentParts;
  readonly #names: WarcNames;
  /** The next segment is waited for already. */
  #isHurried = false;
  #open: Segment | undefined;
  readonly #compressing: Compressing;
  readonly #queue: Segment[] = [];
  readonly #uploads = new Set<Promise<void>>();

  constructor(parts: SegmentParts) {
    this.#parts = parts;
    this.#names = new WarcNames(parts.settings.name, parts.random.hex(6));
    this.#compressing = new Compressing(parts);
  }

  append(entry: ArchiveEntry): Promise<Archived> {
    return this.#compressing.add(entry, (members) => this.#add(members));
  }

  /** Puts the members into a segment: from then on their place is known. */
  #add(members: Members): Archived {
    const { segmentBytes = SEGMENT_BYTES } = this.#parts.settings;
    const bytes = members.reduce((sum, { length }) => sum + length, 0);
    if (this.#open !== undefined && this.#open.bytes + bytes > segmentBytes) this.#seal();
    const segment = this.#open ??= this.#begin();
    const offset = segment.bytes + members.slice(0, ANSWER).reduce((sum, { length }) => sum + length, 0);
    segment.pieces.push(...members);
    segment.bytes += bytes;
    if (segment.bytes >= segmentBytes) this.#seal();
    const record = { storage_key: segment.key, offset, length: members[ANSWER].length };
    return { record, durable: segment.sent };
  }

  #begin(): Segment {
    const { clock, digest, gzip, settings, storagePrefix } = this.#parts;
    const createdMs = clock.wallMs();
    const key = `${storagePrefix}warc/${this.#names.next(createdMs)}`;
    const info = gzip.store(warcinfoParts(settings.info, { storageKey: key, createdMs }, digest));
    let settle!: Segment["settle"];
    const sent = new Promise<void>((resolve, reject) => settle = (error) => error ? reject(error) : resolve());
    // Whoever waits for it is told; that nobody might is no error of its own.
    sent.catch(() => {});
    const sealed = new AbortController();
    const begunAt = clock.monotonicMs();
    const segment: Segment = {
      key,
      begunAt,
      pieces: [info],
      bytes: info.length,
      isHurried: false,
      sent,
      settle,
      sealed,
    };
    this.#sealLater(segment, this.#isHurried ? HURRIED_MS : settings.segmentMs ?? SEGMENT_MS);
    this.#isHurried = false;
    return segment;
  }

  #sealLater(segment: Segment, ageMs: number): void {
    const { clock } = this.#parts;
    const leftMs = segment.begunAt + ageMs - clock.monotonicMs();
    void clock.sleep(Math.max(0, leftMs), segment.sealed.signal).then(() => {
      if (this.#open === segment) this.#seal();
    });
  }

  /** Nobody appends before what waits is durable: it is sent as soon as that makes no heap of small objects. */
  hurry(): void {
    const segment = this.#open;
    // What they wait for may be on its way here still.
    if (segment === undefined) this.#isHurried = true;
    if (segment === undefined || segment.isHurried) return;
    segment.isHurried = true;
    this.#sealLater(segment, HURRIED_MS);
  }

  #seal(): void {
    const segment = this.#open!;
    this.#open = undefined;
    segment.sealed.abort();
    this.#queue.push(segment);
    this.#sendNext();
  }

  #sendNext(): void {
    while (this.#uploads.size < UPLOADS && this.#queue.length > 0) {
      const upload: Promise<void> = this.#send(this.#queue.shift()!).finally(() => {
        this.#uploads.delete(upload);
        this.#sendNext();
      });
      this.#uploads.add(upload);
    }
  }

  async #send(segment: Segment): Promise<void> {
    const { key, pieces, bytes } = segment;
    try {
      const whole = new Uint8Array(bytes);
      let at = 0;
      for (const piece of pieces) {
        if (piece instanceof Uint8Array) whole.set(piece, at);
        else piece.writeTo(whole, at);
        at += piece.length;
      }
      await this.#parts.blobs.put(key, whole);
      segment.settle();
    } catch (error) {
      const found = error instanceof Error ? error.message : String(error);
      segment.settle(
        new Error(
          `Archiving a segment failed: ${found} Mend the store or the way to it; the pages are fetched again.`,
          { cause: error },
        ),
      );
    }
  }

  async close(): Promise<void> {
    await this.#compressing.settled();
    if (this.#open !== undefined) this.#seal();
    while (this.#uploads.size > 0) await Promise.all(this.#uploads);
  }
}
