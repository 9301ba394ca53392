/**
 * The seen-set's log, blocks, runs and parts in RAM: the specification of what a shard's store keeps of them.
 * Invariant: what was written is read back byte for byte, whatever the writer does with its arrays afterwards.
 */

import {
  SEEN_BLOCK_BYTES,
  type SeenPartName,
  type SeenRunRow,
  type SeenState,
  type SeenStorage,
  type SeenWrites,
} from "../seen_ports.ts";

const nameOf = ({ runId, kind, part }: SeenPartName) => `${String(runId).padStart(12, "0")} ${kind} ${part}`;

export class MemorySeen implements SeenStorage {
  readonly #log = new Map<number, Uint8Array>();
  readonly #blocks = new Map<number, Uint8Array>();
  readonly #runs = new Map<number, SeenRunRow>();
  readonly #parts = new Map<string, SeenPartName & { readonly bytes: Uint8Array }>();

  commit(batchSeq: number, log: Uint8Array | undefined, writes?: SeenWrites): void {
    if (log !== undefined) this.#log.set(batchSeq, log.slice());
    if (writes === undefined) return;
    for (const { firstBlock, bytes } of writes.blocks) {
      for (let at = 0, id = firstBlock; at < bytes.length; at += SEEN_BLOCK_BYTES, id++) {
        this.#blocks.set(id, bytes.slice(at, at + SEEN_BLOCK_BYTES));
      }
    }
    for (const part of writes.parts) this.#parts.set(nameOf(part), { ...part, bytes: part.bytes.slice() });
    for (const run of writes.newRuns) this.#runs.set(run.runId, run);
    for (const runId of writes.endedRuns) this.#runs.delete(runId);
    for (const { first, end } of writes.freedBlocks ?? []) {
      for (const id of [...this.#blocks.keys()]) if (id >= first && id < end) this.#blocks.delete(id);
    }
    for (const part of writes.freedParts ?? []) this.#parts.delete(nameOf(part));
    for (const seq of [...this.#log.keys()]) if (seq <= (writes.logCovered ?? -1)) this.#log.delete(seq);
  }

  async seenState(): Promise<SeenState> {
    const ids = [...this.#blocks.keys()];
    const parts = [...this.#parts].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      runs: [...this.#runs.values()].sort((a, b) => a.runId - b.runId),
      parts: parts.map(([, { runId, kind, part }]) => ({ runId, kind, part })),
      firstBlock: ids.reduce((least, id) => Math.min(least, id), ids[0] ?? 0),
      endBlock: ids.reduce((most, id) => Math.max(most, id + 1), 0),
    };
  }

  async seenLog(batchSeq: number, limit: number): Promise<{ batchSeq: number; keys: Uint8Array }[]> {
    const entries = [...this.#log].filter(([seq]) => seq > batchSeq).sort(([a], [b]) => a - b);
    return entries.slice(0, limit).map(([seq, keys]) => ({ batchSeq: seq, keys: keys.slice() }));
  }

  async seenBlocks(ids: readonly number[]): Promise<Uint8Array[]> {
    return ids.map((id) => {
      const block = this.#blocks.get(id);
      if (block === undefined) {
        throw new Error(`Reading block ${id} of the seen-set: it isn't there; wanted one that a run names.`);
      }
      return block.slice();
    });
  }

  async seenPart(part: SeenPartName): Promise<Uint8Array | undefined> {
    return this.#parts.get(nameOf(part))?.bytes.slice();
  }
}
