/**
 * The core's hot paths against JS, all parts, as rows for a table.
 * Invariant: the parts run one after the other on one core, so that none slows another.
 */

import { loadCore } from "../core-wasm/mod.ts";
import { benchCharset } from "./core_charset.ts";
import { benchFilter } from "./core_filter.ts";
import { benchNear } from "./core_near.ts";
import { benchScan } from "./core_scan.ts";
import { benchUrl } from "./core_url.ts";
import type { Row } from "./report/table.ts";

/** One row for each candidate at each task. */
export async function coreRows(): Promise<Row[]> {
  const core = await loadCore();
  return [...benchUrl(core), ...benchFilter(core), ...benchNear(core), ...benchScan(core), ...await benchCharset(core)]
    .map((
      { name, candidate, nsPerOp, ratio },
    ) => ({ task: name, candidate, "ns/op": nsPerOp, ratio }));
}
