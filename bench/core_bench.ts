/**
 * The core's hot paths against JS, all parts, as rows for a table.
 * Invariant: the parts run one after the other on one core, so that none slows another.
 */

import { loadCore } from "../core-wasm/mod.ts";
import { benchSizes } from "./core_batches.ts";
import { benchCharset } from "./core_charset.ts";
import { benchFilter } from "./core_filter.ts";
import { benchHash } from "./core_hash.ts";
import { benchInputs } from "./core_inputs.ts";
import { benchNear } from "./core_near.ts";
import { benchPages } from "./core_pages.ts";
import { benchScan } from "./core_scan.ts";
import { benchUrl } from "./core_url.ts";
import type { Row } from "./report/table.ts";

/** One row for each candidate at each task. */
export async function coreRows(): Promise<Row[]> {
  const core = await loadCore();
  const inputs = benchInputs(core);
  const rows = [
    ...await benchPages(core, inputs),
    ...await benchSizes(core, inputs),
    ...benchUrl(core),
    ...benchFilter(core),
    ...benchNear(core),
    ...benchScan(core),
    ...await benchHash(core),
    ...await benchCharset(core),
  ];
  return rows.map(({ name, candidate, nsPerOp, spread, ratio }) => ({
    task: name,
    candidate,
    "ns/op": nsPerOp,
    ...(spread === undefined ? {} : { "spread %": spread }),
    ratio,
  }));
}
