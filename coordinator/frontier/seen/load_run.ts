/**
 * A run as it was left in the store: its directory and filter are read, and what is missing or torn is found elsewhere.
 * Invariant: a filter is used only when its checksum and its run's facts are right; else the copy of the blob store is
 * tried, and then both are made anew from the run's blocks. Nothing is answered before that is done.
 */

import type { Core, Filter } from "../../../core-wasm/core.ts";
import type { SeenPart, SeenRunRow, SeenStorage } from "../../seen_ports.ts";
import { noSlots } from "./block_cache.ts";
import { BLOCK_WORDS, clusterAt, wordsOf } from "./packed_keys.ts";
import { filterRoom, type Run, RunDirectory } from "./run.ts";
import { joined } from "./run_job.ts";

/** Blocks that are read at once to make a filter anew. */
const BLOCKS_PER_READ = 128;

export type FilterOrigin = "store" | "copy" | "rebuilt";

export interface LoadRunOptions {
  readonly core: Pick<Core, "filter" | "restoreFilter" | "xxh64">;
  readonly storage: SeenStorage;
  /** The copy of the run's filter, where one is kept. */
  readonly filterCopy: (row: SeenRunRow) => Promise<Uint8Array | undefined>;
}

export async function loadRun(
  row: SeenRunRow,
  options: LoadRunOptions,
): Promise<{ readonly run: Run; readonly origin: FilterOrigin }> {
  const { core, storage } = options;
  const slots = noSlots(row.blocks);
  const directory = await readDirectory(row, options);
  if (directory !== undefined) {
    const stored = restored(row, core, await readParts(storage, row, "filter"));
    if (stored !== undefined) return { run: { row, directory, filter: stored, slots }, origin: "store" };
    const copied = restored(row, core, await options.filterCopy(row));
    if (copied !== undefined) return { run: { row, directory, filter: copied, slots }, origin: "copy" };
  }
  return { run: await rebuilt(row, options), origin: "rebuilt" };
}

async function readDirectory(row: SeenRunRow, { core, storage }: LoadRunOptions): Promise<RunDirectory | undefined> {
  const bytes = await readParts(storage, row, "directory");
  if (bytes === undefined || core.xxh64(bytes).toString(16).padStart(16, "0") !== row.tag) return undefined;
  return RunDirectory.of(bytes);
}

async function readParts(
  storage: SeenStorage,
  row: SeenRunRow,
  kind: SeenPart["kind"],
): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  for (let part = 0; part < (kind === "filter" ? row.filterParts : row.directoryParts); part++) {
    const bytes = await storage.seenPart({ runId: row.runId, kind, part });
    if (bytes === undefined) return undefined;
    parts.push(bytes);
  }
  return joined(parts);
}

/** The filter, when the bytes are whole and made for this very run. */
function restored(row: SeenRunRow, core: Pick<Core, "restoreFilter">, bytes?: Uint8Array): Filter | undefined {
  if (bytes === undefined) return undefined;
  const answer = core.restoreFilter(bytes);
  if ("error" in answer) return undefined;
  const isOfRun = answer.position === BigInt(row.coveredBatchSeq) && answer.filter.capacity >= row.keys;
  if (isOfRun) return answer.filter;
  answer.filter.free();
  return undefined;
}

async function rebuilt(row: SeenRunRow, { core, storage }: LoadRunOptions): Promise<Run> {
  const directory = new RunDirectory();
  const filter = core.filter(filterRoom(row.keys));
  let keys = 0;
  for (let from = 0; from < row.blocks; from += BLOCKS_PER_READ) {
    const count = Math.min(BLOCKS_PER_READ, row.blocks - from);
    const ids = Array.from({ length: count }, (_, i) => row.firstBlock + from + i);
    for (const bytes of await storage.seenBlocks(ids)) {
      const words = wordsOf(bytes);
      keys += addBlock(words, filter, directory);
    }
  }
  if (keys === row.keys) return { row, directory, filter, slots: noSlots(row.blocks) };
  throw new Error(
    `Loading run ${row.runId} of the seen-set failed: its ${row.blocks} blocks hold ${keys} keys, ${row.keys} are wanted; ` +
      "restore the database from a copy.",
  );
}

function addBlock(words: Uint32Array, filter: Filter, directory: RunDirectory): number {
  const count = Math.min(words[0]!, BLOCK_WORDS / 2);
  filter.addAll(new BigUint64Array(words.slice(2, 2 + 2 * count).buffer));
  directory.add(clusterAt(words, 2 + 2 * count), words[2]!, words[3]!);
  return count;
}
