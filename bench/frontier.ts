/**
 * `deno run -A bench/frontier.ts [memory|libsql] [pages]`: leases and completions a CPU second, 60 outlinks a page of
 * which about 95 % are seen already. One JSON line.
 */

import process from "node:process";
import { benchFrontier } from "./frontier_bench.ts";

const [store = "memory", pages = "20000"] = process.argv.slice(2);
const [row] = await benchFrontier({ store: store === "libsql" ? "libsql" : "memory", pages: Number(pages) });
console.log(JSON.stringify(row));
