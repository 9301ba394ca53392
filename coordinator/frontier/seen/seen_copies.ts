/**
 * Copies of the runs' filters in the blob store, with a list of them and the batch that they cover: a node that takes
 * the shard, or a store whose copy is torn, needn't make them anew.
 * Invariant: a filter never changes, so its object is written once, under a name that no other run has; the list is
 * written after what it lists, and what it no longer lists is removed after that. Losing all of it costs time only.
 */

import type { BlobStore, Logger } from "../../../runtime/ports.ts";
import type { SeenRunRow } from "../../seen_ports.ts";
import type { Run } from "./run.ts";
import { joined } from "./run_job.ts";

export class SeenCopies {
  readonly #blobs: BlobStore;
  readonly #folder: string;
  readonly #log: Logger;
  /** Objects that the last list named. */
  #listed: ReadonlySet<string> = new Set();
  #saving: Promise<void> | undefined;

  constructor(blobs: BlobStore, shard: number, log: Logger) {
    this.#blobs = blobs;
    this.#folder = `seen/shard-${shard}`;
    this.#log = log;
  }

  /** Reads what is there, once, before the first `save`. Never rejects. */
  async open(): Promise<void> {
    try {
      this.#listed = await this.#readList();
    } catch (error) {
      this.#log.warn("the list of a seen-set's copies can't be read", { error: String(error) });
    }
  }

  #nameOf(row: SeenRunRow): string {
    return `${this.#folder}/run-${row.runId}-${row.tag}.filter`;
  }

  /** The copy of a run's filter; undefined when there is none, or it can't be had. */
  async filter(row: SeenRunRow): Promise<Uint8Array | undefined> {
    try {
      return await this.#blobs.get(this.#nameOf(row));
    } catch (error) {
      this.#log.warn("a copy of a seen-set's filter can't be read", { error: String(error) });
      return undefined;
    }
  }

  /** Brings the copies up to date; a save that is under way makes this one wait for the next call. Never rejects. */
  save(runs: readonly Run[]): void {
    this.#saving ??= this.#save(runs)
      .catch((error) => this.#log.warn("copying a seen-set's filters failed", { error: String(error) }))
      .finally(() => this.#saving = undefined);
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.#saving;
  }

  async #save(runs: readonly Run[]): Promise<void> {
    const before = this.#listed;
    const now = new Set(runs.map(({ row }) => this.#nameOf(row)));
    // All bytes are taken before the first wait: a filter may be freed by a merge meanwhile.
    const fresh = runs.filter(({ row }) => !before.has(this.#nameOf(row))).map(({ row, filter }) => ({
      name: this.#nameOf(row),
      bytes: joined(filter.snapshot(BigInt(row.coveredBatchSeq))),
    }));
    for (const { name, bytes } of fresh) await this.#blobs.put(name, bytes);
    const covered = Math.max(0, ...runs.map(({ row }) => row.coveredBatchSeq));
    const list = JSON.stringify({ covered_batch_seq: covered, objects: [...now] });
    await this.#blobs.put(`${this.#folder}/list.json`, new TextEncoder().encode(list));
    this.#listed = now;
    for (const name of before) if (!now.has(name)) await this.#blobs.remove(name);
  }

  /** A list that is torn or missing says nothing: every object is written again. */
  async #readList(): Promise<ReadonlySet<string>> {
    const bytes = await this.#blobs.get(`${this.#folder}/list.json`);
    if (bytes === undefined) return new Set();
    try {
      const { objects } = JSON.parse(new TextDecoder().decode(bytes)) as { objects: string[] };
      return new Set(objects.filter((name) => name.startsWith(`${this.#folder}/run-`)));
    } catch {
      return new Set();
    }
  }
}
