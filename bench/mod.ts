/** The benchmark, as `outrider bench` runs it. */

export { runBench } from "./suites.ts";
export type { BenchOptions, BenchSuite } from "./suites.ts";
export { parseFeatures } from "./web/mod.ts";
