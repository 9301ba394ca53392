/**
 * What has been published: the last seq of each shard and the length of each output then. Writing it is the commit.
 * Invariant: the outputs were synced up to the stated lengths before the state was written, so bytes behind them are
 * the rest of an unfinished batch, and bytes missing before them are damage.
 */

import type { Files } from "../../runtime/ports.ts";

export interface PublisherState {
  /** Shard -> seq of its last published row. */
  readonly seqs: ReadonlyMap<number, number>;
  /** Bytes of pages.jsonl and of index.cdxj.log. */
  readonly pagesBytes: number;
  readonly indexBytes: number;
}

export const NOTHING_PUBLISHED: PublisherState = { seqs: new Map(), pagesBytes: 0, indexBytes: 0 };

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** The saved state; nothing published when there is none or it can't be read. */
export async function loadPublisherState(files: Files, path: string): Promise<PublisherState> {
  const bytes = await files.read(path);
  if (!bytes) return NOTHING_PUBLISHED;
  try {
    const saved = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    const seqs = new Map(
      Object.entries(saved.seqs as Record<string, unknown>).map(([shard, seq]) => [Number(shard), seq] as const),
    );
    const whole = isCount(saved.pages_bytes) && isCount(saved.index_bytes) &&
      [...seqs].every(([shard, seq]) => isCount(shard) && isCount(seq));
    if (!whole) return NOTHING_PUBLISHED;
    return {
      seqs: seqs as Map<number, number>,
      pagesBytes: saved.pages_bytes as number,
      indexBytes: saved.index_bytes as number,
    };
  } catch {
    return NOTHING_PUBLISHED;
  }
}

export async function savePublisherState(files: Files, path: string, state: PublisherState): Promise<void> {
  const saved = {
    seqs: Object.fromEntries(state.seqs),
    pages_bytes: state.pagesBytes,
    index_bytes: state.indexBytes,
  };
  await files.writeWhole(path, new TextEncoder().encode(JSON.stringify(saved) + "\n"));
}
