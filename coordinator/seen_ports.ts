/**
 * What the seen-set (frontier/seen) asks of a shard's store: a log, blocks, runs and parts of runs.
 * Invariant: all of it changes with the shard's commits and in no other way; bytes are read back as they were written.
 */

/** An immutable run of the seen-set (frontier/seen): blocks numbered without a gap, and what is kept of it in RAM. */
export interface SeenRunRow {
  readonly runId: number;
  readonly firstBlock: number;
  readonly blocks: number;
  readonly keys: number;
  /** The newest batch whose keys are in it. */
  readonly coveredBatchSeq: number;
  /** XXH64 of its directory, 16 hex digits: tells it from a run of the same number in another history. */
  readonly tag: string;
  readonly directoryParts: number;
  readonly filterParts: number;
}

/** A piece of a run's directory or filter; pieces are numbered from 0. */
export interface SeenPart {
  readonly runId: number;
  readonly kind: "directory" | "filter";
  readonly part: number;
  readonly bytes: Uint8Array;
}

export type SeenPartName = Omit<SeenPart, "bytes">;

/** What a commit changes of the seen-set's runs. All of it may be repeated. */
export interface SeenWrites {
  /** Blocks of SEEN_BLOCK_BYTES one behind the other; their numbers go on from the first's. */
  readonly blocks: readonly { readonly firstBlock: number; readonly bytes: Uint8Array }[];
  readonly parts: readonly SeenPart[];
  readonly newRuns: readonly SeenRunRow[];
  readonly endedRuns: readonly number[];
  /** Nothing refers to these any more: blocks from `first` to before `end`, and parts. */
  readonly freedBlocks?: readonly { readonly first: number; readonly end: number }[];
  readonly freedParts?: readonly SeenPartName[];
  /** Log entries up to this batch are covered by runs and go. */
  readonly logCovered?: number;
}

/** What of the seen-set's runs is in the store, and where something may lie that belongs to none. */
export interface SeenState {
  readonly runs: readonly SeenRunRow[];
  readonly parts: readonly SeenPartName[];
  /** Numbers of the first block, and one more than that of the last; 0 and 0 without any. */
  readonly firstBlock: number;
  readonly endBlock: number;
}

/** How the seen-set of one shard fares; counts are of this process. */
export interface SeenFacts {
  readonly shard: number;
  /** URLs asked about that the cache didn't know, and those of them that were new. */
  readonly checks: number;
  readonly fresh: number;
  /** URLs that a filter didn't deny, and those of them that were new after all. */
  readonly positives: number;
  readonly falsePositives: number;
  /** Share of new URLs in the last window of 10,000 that a filter took for seen; above 0.01 it is an alarm. */
  readonly falsePositiveRate: number;
  /** Blocks read from the store for answers. */
  readonly blockReads: number;
  readonly runs: number;
  readonly runKeys: number;
  readonly memtableKeys: number;
  readonly filterBytes: number;
  readonly cacheBytes: number;
}

/** Bytes of a block: with its row it fills a page of 4,096. */
export const SEEN_BLOCK_BYTES = 4040;

/** The part of a shard's store that its seen-set reads. */
export interface SeenStorage {
  seenState(): Promise<SeenState>;
  /** Log entries in the order of their batches, after that of `batchSeq`. */
  seenLog(batchSeq: number, limit: number): Promise<{ readonly batchSeq: number; readonly keys: Uint8Array }[]>;
  /** In the order asked for. A block that isn't there is an Error. */
  seenBlocks(ids: readonly number[]): Promise<Uint8Array[]>;
  seenPart(part: SeenPartName): Promise<Uint8Array | undefined>;
}
