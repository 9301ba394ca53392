/**
 * A process that scans a page which takes all memory there is, page by page of memory, and then two others; it prints
 * what came of them and how far its resident memory grew meanwhile.
 * Invariant: nothing else happens in it, so that the growth is the scan's alone.
 */

import { memoryUsage, stdout } from "node:process";
import { coreOf } from "../../core-wasm/mod.ts";
import { GREEDY_BYTES, hostileArtefact, pageOf } from "./hostile_core.ts";

export interface GreedyScan {
  /** What the greedy scan failed with. */
  readonly failed: string;
  readonly grownBytes: number;
  /** Links of a page that came after it, and what its scan failed with. */
  readonly nextLinks: readonly string[];
  readonly nextFailed: string;
}

async function scanGreedily(): Promise<GreedyScan> {
  const core = coreOf(await hostileArtefact());
  const encoder = new TextEncoder();
  const scan = (bytes: number) => core.scan(encoder.encode(pageOf(bytes, "/x")), { url: "http://e.example/" });
  scan(200);
  const before = memoryUsage.rss();
  const { failed } = scan(GREEDY_BYTES);
  const grownBytes = memoryUsage.rss() - before;
  const next = scan(GREEDY_BYTES + 1);
  return {
    failed: failed ?? "",
    grownBytes,
    nextLinks: next.links.map(({ url }) => url),
    nextFailed: next.failed ?? "",
  };
}

if (import.meta.main) stdout.write(JSON.stringify(await scanGreedily()));
