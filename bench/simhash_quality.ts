/**
 * `deno task quality`: precision and recall of SimHash on the real pages of ../shared/corpora, as Markdown, for
 * docs/SIMHASH.md. Takes about a minute.
 */

import process from "node:process";
import { loadCore } from "../core-wasm/mod.ts";
import { CORPORA_ABSENT } from "../tests/support/corpora.ts";
import { EDITS } from "../tests/support/near_duplicates.ts";
import { measureQuality, MOST_BITS, precisionAt, shareWithin } from "../tests/support/simhash_quality.ts";

const SEED = Number(process.argv[2] ?? 1);

if (CORPORA_ABSENT !== undefined) {
  process.stderr.write(`Measuring SimHash's quality failed: ${CORPORA_ABSENT}.\n`);
  process.exit(1);
}
const quality = measureQuality(await loadCore(), { step: 1, seed: SEED });
const count = (distances: readonly number[]) => distances.reduce((sum, pairs) => sum + pairs, 0);
const lines = [
  `${quality.pages} pages, seed ${SEED}; pairs: ${
    EDITS.map((edit) => `${edit} ${count(quality.edits[edit])}`).join(", ")
  }, ` +
  `same site ${count(quality.sameSite)}, other sites ${count(quality.otherSite)}; ${quality.twins} twins left out.`,
  "",
  `| bits | ${
    EDITS.map((edit) => `${edit}: recall | precision`).join(" | ")
  } | false, same site | false, other sites |`,
  `| ---: | ${EDITS.map(() => "---: | ---:").join(" | ")} | ---: | ---: |`,
];
for (let bits = 0; bits <= MOST_BITS; bits++) {
  const cells = EDITS.flatMap((edit) => [shareWithin(quality.edits[edit], bits), precisionAt(quality, edit, bits)]);
  cells.push(shareWithin(quality.sameSite, bits), shareWithin(quality.otherSite, bits));
  lines.push(`| ${bits} | ${cells.map((cell) => cell.toFixed(4)).join(" | ")} |`);
}
process.stdout.write(`${lines.join("\n")}\n`);
