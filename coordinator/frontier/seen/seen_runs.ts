/**
 * Answers from the runs of a seen-set: filters in RAM first, then the one block that may hold the key.
 * Invariant: "new" is said only when every run's filter or block denies the key, "seen" only when a block holds it; a
 * key that all filters deny reads nothing.
 */

import type { SeenStorage } from "../../seen_ports.ts";
import type { BlockCache, BlockPlace } from "./block_cache.ts";
import { blockHolds, wordsOf } from "./packed_keys.ts";
import type { Run } from "./run.ts";
import type { SeenKeys } from "./seen_keys.ts";
import type { SeenTally } from "./seen_tally.ts";

/** What is said of a key. `perhaps`: a filter doesn't deny it. */
export const VERDICT = { new: 0, seen: 1, perhaps: 2 } as const;

/** Blocks that are read at once; they must fit into the smallest cache. */
const BLOCKS_PER_READ = 128;

/** Verdicts on keys, and what is needed to settle those that are `perhaps`. Valid until the runs change. */
export interface Screening {
  readonly keys: SeenKeys;
  readonly verdicts: Uint8Array;
  /** For `perhaps`: the first run whose filter doesn't deny the key. */
  readonly runs: Int16Array;
}

/** A block that has to be read, and the keys that it may hold. */
interface MissingBlock {
  readonly id: number;
  readonly run: Run;
  readonly block: number;
  readonly places: number[];
}

export class SeenRuns {
  readonly #cache: BlockCache;
  readonly #tally: SeenTally;
  readonly #place: BlockPlace = { words: new Uint32Array(0), base: 0 };
  readonly #key = { cluster: 0, low: 0, high: 0 };
  readonly #one = new BigUint64Array(1);
  /** The largest first: most keys that are seen are in it. */
  #runs: readonly Run[] = [];

  constructor(cache: BlockCache, tally: SeenTally) {
    this.#cache = cache;
    this.#tally = tally;
  }

  get all(): readonly Run[] {
    return this.#runs;
  }

  replace(gone: readonly Run[], come: readonly Run[]): void {
    const kept = this.#runs.filter((run) => !gone.includes(run));
    this.#runs = [...kept, ...come].sort((a, b) => b.row.keys - a.row.keys);
  }

  /** Judges by the filters the keys whose verdict is `perhaps`. */
  screen({ keys, verdicts, runs }: Screening): void {
    const places = new Int32Array(keys.length);
    const asked = new BigUint64Array(keys.length);
    // As words: reading a BigInt makes an object of it.
    const words = new Uint32Array(asked.buffer);
    let left = 0;
    for (let i = 0; i < keys.length; i++) {
      if (verdicts[i] !== VERDICT.perhaps) continue;
      places[left] = i;
      words[2 * left] = keys.words[2 * i]!;
      words[2 * left + 1] = keys.words[2 * i + 1]!;
      left++;
    }
    for (let index = 0; index < this.#runs.length && left > 0; index++) {
      const answers = this.#runs[index]!.filter.hasAll(asked.subarray(0, left));
      left = 0;
      for (let i = 0; i < answers.length; i++) {
        const place = places[i]!;
        if (answers[i] === 1) {
          runs[place] = index;
          continue;
        }
        places[left] = place;
        words[2 * left] = words[2 * i]!;
        words[2 * left + 1] = words[2 * i + 1]!;
        left++;
      }
    }
    for (let i = 0; i < left; i++) verdicts[places[i]!] = VERDICT.new;
  }

  /** Turns every `perhaps` into `new` or `seen`. */
  async settle(screening: Screening, storage: SeenStorage): Promise<void> {
    let open: number[] = [];
    for (let i = 0; i < screening.keys.length; i++) if (screening.verdicts[i] === VERDICT.perhaps) open.push(i);
    this.#tally.positives += open.length;
    while (open.length > 0) {
      const next: number[] = [];
      const missing = this.#searchCached(screening, open, next);
      for (let from = 0; from < missing.length; from += BLOCKS_PER_READ) {
        await this.#searchStored(screening, { missing: missing.slice(from, from + BLOCKS_PER_READ), next }, storage);
      }
      open = next;
    }
  }

  /** Judges what lies in cached blocks; the rest by block. */
  #searchCached(screening: Screening, open: readonly number[], next: number[]): MissingBlock[] {
    const missing = new Map<number, MissingBlock>();
    const { keys, runs } = screening;
    for (const place of open) {
      const run = this.#runs[runs[place]!]!;
      const block = run.directory.blockOf(keys.clusters[place]!, keys.words[2 * place]!, keys.words[2 * place + 1]!);
      if (block < 0) this.#denied(screening, place, next);
      else if (this.#cache.find(run.slots, block, this.#place)) {
        this.#judge(screening, { place, words: this.#place.words, base: this.#place.base }, next);
      } else {
        const id = run.row.firstBlock + block;
        const known = missing.get(id);
        if (known === undefined) missing.set(id, { id, run, block, places: [place] });
        else known.places.push(place);
      }
    }
    return [...missing.values()];
  }

  async #searchStored(
    screening: Screening,
    { missing, next }: { readonly missing: readonly MissingBlock[]; readonly next: number[] },
    storage: SeenStorage,
  ): Promise<void> {
    const blocks = await storage.seenBlocks(missing.map(({ id }) => id));
    this.#tally.blockReads += blocks.length;
    missing.forEach(({ run, block, places }, i) => {
      const words = wordsOf(blocks[i]!);
      this.#cache.put(run.slots, block, words);
      for (const place of places) this.#judge(screening, { place, words, base: 0 }, next);
    });
  }

  #judge(
    screening: Screening,
    { place, words, base }: { place: number; words: Uint32Array; base: number },
    next: number[],
  ): void {
    const { keys, verdicts } = screening;
    this.#key.cluster = keys.clusters[place]!;
    this.#key.low = keys.words[2 * place]!;
    this.#key.high = keys.words[2 * place + 1]!;
    if (blockHolds(words, base, this.#key)) verdicts[place] = VERDICT.seen;
    else this.#denied(screening, place, next);
  }

  /** The filter was wrong: the runs behind it are asked; `next` gets the key when one of them doesn't deny it. */
  #denied({ keys, verdicts, runs }: Screening, place: number, next: number[]): void {
    this.#one[0] = keys.keys[place]!;
    for (let index = runs[place]! + 1; index < this.#runs.length; index++) {
      if (this.#runs[index]!.filter.hasAll(this.#one)[0] === 0) continue;
      runs[place] = index;
      next.push(place);
      return;
    }
    verdicts[place] = VERDICT.new;
    this.#tally.falsePositives++;
  }
}
