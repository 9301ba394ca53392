/**
 * Makes pages.jsonl and the CDXJ index from acknowledged captures, in the order of acknowledgement.
 * While a crawl runs, CDXJ lines go to `index.cdxj.log`, unsorted; `finish` leaves the sorted `index.cdxj`.
 * Invariant: each acknowledged capture has its line exactly once, also after kill -9 between any two bytes: a batch
 * counts once its state is saved, and what lies behind the saved state is cut off at the start.
 */

import type { Core } from "../../core-wasm/core.ts";
import type { CaptureRow, CapturesReply, FrontierVerbs } from "../../protocol/mod.ts";
import type { AppendFile, Files } from "../../runtime/ports.ts";
import { cdxjLine } from "./cdxj.ts";
import { sortLines } from "./line_sort.ts";
import { isPage, pageLine, PAGES_HEADER } from "./pages.ts";
import { loadPublisherState, NOTHING_PUBLISHED, type PublisherState, savePublisherState } from "./publisher_state.ts";

export interface PublisherParts {
  /** The data folder and prefix of `openArchive`: only captures under this prefix are published. */
  readonly folder: string;
  readonly storagePrefix: string;
  readonly files: Files;
  readonly frontier: Pick<FrontierVerbs, "captures">;
  readonly core: Pick<Core, "surts">;
  /** The shards to ask, as the slot map names them now. */
  readonly shards: () => readonly number[];
  /** Rows of one batch: one state, three syncs. Default 1,000. */
  readonly batchRows?: number | undefined;
  /** Bytes that `finish` sorts in memory at a time. Default 64 MB. */
  readonly sortBytes?: number | undefined;
}

export interface Publisher {
  /** Publishes what has been acknowledged since; resolves to the number of captures. Calls that overlap queue up. */
  publishPending(): Promise<number>;
  /** Publishes the rest, leaves the sorted index, closes. Safe to repeat in a later run. */
  finish(): Promise<void>;
  /** Closes without sorting; the next run goes on. */
  close(): Promise<void>;
}

const BATCH_ROWS = 1000;
const SORT_BYTES = 64_000_000;

interface Outputs {
  readonly pages: AppendFile;
  readonly index: AppendFile;
}

/** Where the outputs lie. */
export function publisherPaths(folder: string, storagePrefix: string) {
  const base = `${folder}/${storagePrefix}`;
  return {
    pages: `${base}pages.jsonl`,
    indexLog: `${base}index.cdxj.log`,
    index: `${base}index.cdxj`,
    state: `${base}publisher.json`,
  };
}

/** Opens the outputs and cuts off what an interrupted batch left. */
export async function openPublisher(parts: PublisherParts): Promise<Publisher> {
  const paths = publisherPaths(parts.folder, parts.storagePrefix);
  const state = await recover(parts.files, paths);
  const pages = await parts.files.openAppend(paths.pages);
  try {
    const index = await parts.files.openAppend(paths.indexLog);
    return new CapturePublisher(parts, { pages, index }, state);
  } catch (error) {
    await pages.close();
    throw error;
  }
}

/** Outputs shorter than the state says were damaged: the coordinator still has every row, so all is made anew. */
async function recover(files: Files, paths: ReturnType<typeof publisherPaths>): Promise<PublisherState> {
  const saved = await loadPublisherState(files, paths.state);
  const pagesBytes = await files.size(paths.pages) ?? 0;
  const indexBytes = await files.size(paths.indexLog) ?? 0;
  const damaged = pagesBytes < saved.pagesBytes || indexBytes < saved.indexBytes;
  const state = damaged ? NOTHING_PUBLISHED : saved;
  if (damaged) await savePublisherState(files, paths.state, state);
  if (pagesBytes > state.pagesBytes) await files.truncate(paths.pages, state.pagesBytes);
  if (indexBytes > state.indexBytes) await files.truncate(paths.indexLog, state.indexBytes);
  return state;
}

class CapturePublisher implements Publisher {
  readonly #parts: PublisherParts;
  #outputs: Outputs;
  #state: PublisherState;
  #tail: Promise<unknown> = Promise.resolve();
  /** A write failed: what lies behind the state is no batch. */
  #isTorn = false;
  #closed = false;

  constructor(parts: PublisherParts, outputs: Outputs, state: PublisherState) {
    this.#parts = parts;
    this.#outputs = outputs;
    this.#state = state;
  }

  publishPending(): Promise<number> {
    return this.#queue(() => this.#publishAll());
  }

  finish(): Promise<void> {
    return this.#queue(async () => {
      await this.#publishAll();
      await this.#closeOutputs();
      const { files, folder, storagePrefix, sortBytes } = this.#parts;
      const paths = publisherPaths(folder, storagePrefix);
      await sortLines({ files, from: paths.indexLog, to: paths.index, chunkBytes: sortBytes ?? SORT_BYTES });
    });
  }

  close(): Promise<void> {
    return this.#queue(() => this.#closeOutputs());
  }

  #queue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#tail.then(work);
    this.#tail = done.catch(() => {});
    return done;
  }

  async #closeOutputs(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { pages, index } = this.#outputs;
    // After a failure they may be closed; what counts was synced.
    if (this.#isTorn) return void await Promise.allSettled([pages.close(), index.close()]);
    await pages.close();
    await index.close();
  }

  /**
   * Cuts the outputs back to the state. Opened anew, as after a failed sync the old handles may hold pages that the kernel
   * counts as clean though they never reached the disk.
   */
  async #cutBack(): Promise<void> {
    const { files, folder, storagePrefix } = this.#parts;
    const paths = publisherPaths(folder, storagePrefix);
    const { pages, index } = this.#outputs;
    await Promise.allSettled([pages.close(), index.close()]);
    await files.truncate(paths.pages, this.#state.pagesBytes);
    await files.truncate(paths.indexLog, this.#state.indexBytes);
    this.#outputs = { ...this.#outputs, pages: await files.openAppend(paths.pages) };
    this.#outputs = { ...this.#outputs, index: await files.openAppend(paths.indexLog) };
    this.#isTorn = false;
  }

  async #publishAll(): Promise<number> {
    if (this.#closed) throw new Error("Publishing captures: the publisher is closed.");
    let published = 0;
    let unread: unknown;
    for (const shard of this.#parts.shards()) {
      for (let more = true; more;) {
        const reply = await this.#captures(shard).catch((error) => {
          unread = error;
          return undefined;
        });
        if (reply === undefined) break;
        if (reply.rows.length > 0) await this.#commit(shard, reply.rows);
        published += reply.rows.length;
        more = reply.more && reply.rows.length > 0;
      }
    }
    // A shard that nobody answers for holds up no other.
    if (unread !== undefined) throw unread;
    return published;
  }

  #captures(shard: number): Promise<CapturesReply> {
    return this.#parts.frontier.captures({
      storage_prefix: this.#parts.storagePrefix,
      shard,
      after_seq: this.#state.seqs.get(shard) ?? 0,
      limit: this.#parts.batchRows ?? BATCH_ROWS,
    });
  }

  /** A write that failed leaves the outputs ahead of the state: they are cut back before anything follows. */
  async #commit(shard: number, rows: readonly CaptureRow[]): Promise<void> {
    try {
      if (this.#isTorn) await this.#cutBack();
      await this.#write(shard, rows);
    } catch (error) {
      this.#isTorn = true;
      const found = error instanceof Error ? error.message : String(error);
      throw new Error(
        `Publishing ${rows.length} captures in ${this.#parts.folder} failed: found "${found}", wanted durable lines; ` +
          "they are published when that goes again.",
        { cause: error },
      );
    }
  }

  async #write(shard: number, rows: readonly CaptureRow[]): Promise<void> {
    const { pages, index } = this.#outputs;
    const pageLines = rows.filter(isPage).map((row) => pageLine(row, shard));
    if (this.#state.pagesBytes === 0) pageLines.unshift(PAGES_HEADER);
    await pages.append(lines(pageLines));
    const surts = this.#parts.core.surts(rows.map((row) => row.url));
    // A URL that has none was never accepted by the core; its line keeps the URL as its key rather than be lost.
    await index.append(lines(rows.map((row, i) => cdxjLine(row, surts[i] || row.url))));
    await Promise.all([pages.sync(), index.sync()]);
    const seqs = new Map(this.#state.seqs).set(shard, rows.at(-1)!.seq);
    const state = { seqs, pagesBytes: pages.size, indexBytes: index.size };
    const { files, folder, storagePrefix } = this.#parts;
    await savePublisherState(files, publisherPaths(folder, storagePrefix).state, state);
    this.#state = state;
  }
}

function lines(list: readonly string[]): Uint8Array {
  return new TextEncoder().encode(list.map((line) => line + "\n").join(""));
}
