/**
 * `outrider bench [core|archive|crawl|frontier|latency|long|all]`: the core's hot paths against JS, the archive, the frontier, a slow web, and a
 * whole crawl of the synthetic web beside the smallest loop on the runtime's own fetch.
 */

import type { Command } from "commander";
import { Argument, InvalidArgumentError } from "commander";
import type { BenchSuite } from "../bench/mod.ts";
import { number, oneOf } from "./flags.ts";

const SUITES = [
  "core",
  "archive",
  "crawl",
  "frontier",
  "latency",
  "long",
  "all",
] as const satisfies readonly BenchSuite[];

/** The rows of the long queue take up to 140,000: each 10,000, and what eight workers leased beyond. */
const LEAST_QUEUED = 200_000;

interface Flags {
  readonly runtime?: "deno" | "bun" | "both";
  readonly rounds: number;
  readonly pages: number;
  readonly hosts: number;
  readonly features: string;
  readonly gzip: boolean;
  readonly seed: number;
  readonly pin?: boolean;
  readonly json?: boolean;
  readonly seen: readonly number[];
  readonly queued: number;
}

/** "0.1,1,5,10", ascending. */
function millions(text: string): number[] {
  const sizes = text.split(",").map(Number);
  const isAscending = sizes.every((size, i) => size >= 0.001 && size <= 1000 && (i === 0 || size > sizes[i - 1]!));
  if (isAscending) return sizes;
  throw new InvalidArgumentError("Wanted numbers from 0.001 to 1000 in ascending order, with commas between.");
}

export function registerBench(program: Command): void {
  program.command("bench")
    .description(
      "measure this machine: the core against JS, the archive, the frontier, a whole crawl of the synthetic web",
    )
    .addArgument(new Argument("[suite]", "what is measured").choices(SUITES).default("all"))
    .option("--runtime <name>", "deno, bun or both; the one that runs this by default", oneOf(["deno", "bun", "both"]))
    .option("--rounds <n>", "how often crawl and reference loop take turns", number({ least: 1, most: 100 }), 3)
    .option("--pages <n>", "pages of the synthetic web", number({ least: 1, most: 10_000_000 }), 20_000)
    .option("--hosts <n>", "hosts of the synthetic web", number({ least: 1, most: 60_000 }), 200)
    .option("--features <list>", "features of the synthetic web: none, finishing, or names", "none")
    .option("--no-gzip", "serve pages uncompressed")
    .option("--seed <n>", "seed of the synthetic web", number({ least: 0 }), 1)
    .option("--pin", "server on the last core, crawl and loop on the others (Linux)")
    .option("--seen <list>", "sizes of the seen-set, ascending, in millions of URLs", millions, [0.1])
    .option(
      "--queued <n>",
      "URLs in the frontier's queue",
      number({ least: LEAST_QUEUED, most: 10_000_000 }),
      LEAST_QUEUED,
    )
    .option("--json", "rows as JSON lines")
    .action(async (suite: BenchSuite, flags: Flags) => {
      // Loaded here, so that no other command pays for it at its start.
      const { parseFeatures, runBench } = await import("../bench/mod.ts");
      const { runtime, pages, hosts, gzip, seed, rounds, pin, json } = flags;
      await runBench(suite, {
        web: { pages, hosts, gzip, seed, features: parseFeatures(flags.features) },
        rounds,
        pin: pin ?? false,
        json: json ?? false,
        seenSizes: flags.seen.map((size) => Math.round(size * 1e6)),
        queued: flags.queued,
        ...(runtime === undefined ? {} : { runtimes: runtime === "both" ? ["deno", "bun"] : [runtime] }),
      });
    });
}
