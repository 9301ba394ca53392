/**
 * The Archive port on WARC files: request, response and metadata side by side, one gzip member each.
 * Waiting appends are written and synced together, so one fsync serves them all.
 * Invariant: an append resolves only when its records are durable and whole; every file begins with warcinfo; a file
 * of an earlier run is never written to; what is held in memory is the waiting appends and nothing else.
 */

import type { Files } from "../../runtime/ports.ts";
import type { Archive, Archived, ArchiveEntry } from "../ports.ts";
import { ANSWER, type Members } from "./capture_members.ts";
import { appendDurably, mend, type OpenFile, WriteBuffer } from "./open_file.ts";
import { Compressing, WarcNames, type WriterParts, type WriterSettings } from "./warc_writer.ts";
import { warcinfoParts } from "./warcinfo.ts";
import { saveState } from "./writer_state.ts";

export interface ArchiveSettings extends WriterSettings {
  /** A file that has reached this size takes no more records. Default 1 GB. */
  readonly rotateBytes?: number | undefined;
  /** The state file is renewed after this many bytes: bounds what a repair has to read. Default 64 MB. */
  readonly checkpointBytes?: number | undefined;
}

export interface ArchiveParts extends WriterParts {
  /** The data folder. */
  readonly folder: string;
  readonly files: Files;
  readonly settings: ArchiveSettings;
}

const ROTATE_BYTES = 1_000_000_000;
const CHECKPOINT_BYTES = 64_000_000;
/** Compressed bytes that one sync takes together; more waits for the next. */
const BATCH_BYTES = 32_000_000;

/** The place of a record is known once it is written and synced. */
const DURABLE = Promise.resolve();

interface Waiting {
  readonly url: string;
  readonly members: Members;
  readonly resolve: (archived: Archived) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Opens the archive for appending; no file is made before the first append. Run `repairFolder` first.
 * `append` rejects with a sentence when the disk refuses (full, gone): the file is then cut back to its last whole
 * record, and later appends are tried anew.
 */
export function openArchive(parts: ArchiveParts): Promise<Archive> {
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(parts.settings.name)) {
    const found = JSON.stringify(parts.settings.name);
    throw new Error(`Opening an archive: found the name ${found}, wanted 1 to 64 of A-Z a-z 0-9 . _ -.`);
  }
  const writer = new WarcWriter(parts);
  return Promise.resolve({
    storagePrefix: parts.storagePrefix,
    append: (entry) => writer.append(entry),
    probe: () => probeFolder(parts),
    close: () => writer.close(),
  });
}

/** As much as a large page's record; a full disk often has room for a few bytes. */
const PROBE_BYTES = 1_000_000;

/** Rejects, naming the file and why, when a record couldn't be made durable now. */
async function probeFolder({ files, folder, storagePrefix }: ArchiveParts): Promise<void> {
  const path = `${folder}/${storagePrefix}warc/probe`;
  await files.writeWhole(path, new Uint8Array(PROBE_BYTES));
  await files.remove(path);
}

class WarcWriter {
  readonly #parts: ArchiveParts;
  readonly #warcFolder: string;
  readonly #names: WarcNames;
  #file: OpenFile | undefined;
  #checkpoint = 0;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  readonly #compressing: Compressing;
  readonly #buffer = new WriteBuffer();

  constructor(parts: ArchiveParts) {
    this.#parts = parts;
    this.#warcFolder = `${parts.folder}/${parts.storagePrefix}warc`;
    this.#names = new WarcNames(parts.settings.name, parts.random.hex(3));
    this.#compressing = new Compressing(parts);
  }

  async append(entry: ArchiveEntry): Promise<Archived> {
    const { url } = entry.exchange;
    const waiting = await this.#compressing.add(entry, (members) => this.#wait({ url, members }));
    return await waiting.done;
  }

  /** The entry waits to be written; `done` when it is durable. */
  #wait(entry: Omit<Waiting, "resolve" | "reject">): { done: Promise<Archived> } {
    const done = new Promise<Archived>((resolve, reject) => this.#waiting.push({ ...entry, resolve, reject }));
    // The caller comes to wait for it some turns of the queue later; until then nobody is told, and that is no error.
    done.catch(() => {});
    this.#flushing ??= this.#flush();
    return { done };
  }

  async #flush(): Promise<void> {
    // One turn of the microtask queue lets the appends of the same moment join the first sync.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch();
      try {
        await this.#write(batch);
      } catch (error) {
        for (const one of batch) one.reject(this.#sentence(one.url, error));
      }
    }
    // In the same turn as the loop's last look: an append that comes later starts the next flush.
    this.#flushing = undefined;
  }

  #takeBatch(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { members } of this.#waiting) {
      for (const { length } of members) bytes += length;
      if (count > 0 && bytes > BATCH_BYTES) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const { files, storagePrefix } = this.#parts;
    const file = await this.#writable();
    const members = batch.flatMap((one) => one.members);
    const offsets = await appendDurably(files, file, members);
    batch.forEach((one, i) => {
      const record = {
        storage_key: `${storagePrefix}warc/${file.name}`,
        offset: offsets[i * one.members.length + ANSWER]!,
        length: one.members[ANSWER].length,
      };
      one.resolve({ record, durable: DURABLE });
    });
    await this.#saveProgress(file);
  }

  /** A checkpoint that can't be written only makes the next repair longer: the records are durable without it. */
  async #saveProgress(file: OpenFile): Promise<void> {
    if (file.wholeBytes - this.#checkpoint < (this.#parts.settings.checkpointBytes ?? CHECKPOINT_BYTES)) return;
    const state = { file: file.name, wholeBytes: file.wholeBytes };
    this.#checkpoint = file.wholeBytes;
    await saveState(this.#parts.files, this.#warcFolder, state).catch(() => {});
  }

  async #writable(): Promise<OpenFile> {
    const rotateBytes = this.#parts.settings.rotateBytes ?? ROTATE_BYTES;
    if (this.#file) await mend(this.#parts.files, this.#file);
    if (this.#file && !this.#file.spoilt && this.#file.wholeBytes < rotateBytes) return this.#file;
    await this.#file?.handle.close().catch(() => {});
    this.#file = undefined;
    this.#file = await this.#openNext();
    return this.#file;
  }

  async #openNext(): Promise<OpenFile> {
    const { files, digest, gzip, settings, storagePrefix } = this.#parts;
    const createdMs = this.#parts.clock.wallMs();
    const name = await this.#freeName(createdMs);
    const path = `${this.#warcFolder}/${name}`;
    await saveState(files, this.#warcFolder, { file: name, wholeBytes: 0 });
    this.#checkpoint = 0;
    const file: OpenFile = {
      name,
      path,
      handle: await files.openAppend(path),
      buffer: this.#buffer,
      wholeBytes: 0,
      spoilt: false,
    };
    try {
      const created = { storageKey: `${storagePrefix}warc/${name}`, createdMs };
      await appendDurably(files, file, [await gzip.compress(warcinfoParts(settings.info, created, digest))]);
    } catch (error) {
      await file.handle.close().catch(() => {});
      await files.remove(path).catch(() => {});
      throw error;
    }
    return file;
  }

  async #freeName(createdMs: number): Promise<string> {
    for (;;) {
      const name = this.#names.next(createdMs);
      if ((await this.#parts.files.size(`${this.#warcFolder}/${name}`)) === undefined) return name;
    }
  }

  #sentence(url: string, error: unknown): Error {
    const found = error instanceof Error ? error.message : String(error);
    return new Error(
      `Archiving ${url} in ${this.#warcFolder} failed: found "${found}", wanted a durable record; ` +
        "the file was cut back to its last whole record. Free space there or mend the disk; the page is fetched again.",
      { cause: error },
    );
  }

  async close(): Promise<void> {
    await this.#compressing.settled();
    await this.#flushing;
    if (!this.#file) return;
    // A spoilt one is left to the repair, which is told of it.
    await mend(this.#parts.files, this.#file).catch(() => {});
    if (!this.#file.spoilt) await this.#file.handle.close();
    if (!this.#file.spoilt) await saveState(this.#parts.files, this.#warcFolder, { file: undefined, wholeBytes: 0 });
    this.#file = undefined;
  }
}
