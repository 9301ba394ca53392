/**
 * The flag for the threads that scan pages; `crawl` and `edge` have it.
 */

import { availableParallelism } from "node:os";
import { type Command, Option } from "commander";
import { number } from "./flags.ts";

export interface ScanFlag {
  readonly scanThreads: number;
}

/** Cores that fetching and the frontier keep busy by themselves. */
const OWN_CORES = 2;
/** One thread scans some thousand large pages a second: more than these have nothing to do. */
const MOST_BY_DEFAULT = 4;

/** By the cores of this machine: with two there is none to spare (ADR 29). */
export function defaultScanThreads(cores: number = availableParallelism()): number {
  return Math.max(0, Math.min(MOST_BY_DEFAULT, cores - OWN_CORES));
}

export function addScanFlag(command: Command): Command {
  return command.addOption(
    new Option("--scan-threads <n>", "threads that scan large pages; 0 = they are scanned where they are fetched")
      .argParser(number({ least: 0, most: 256 }))
      .default(defaultScanThreads(), `${defaultScanThreads()}, by this machine's cores`),
  );
}
