/**
 * Prints how the keys compare with those of other canonicalisers (../shared/corpora/2-url-canon). With `--cases` every
 * disagreement, one a line. Run: `deno run -A bench/url_mirror.ts`.
 */

import process from "node:process";
import { CORPORA_ABSENT } from "../tests/support/corpora.ts";
import { mirror, tally } from "../tests/support/canon_mirror.ts";

if (CORPORA_ABSENT !== undefined) throw new Error(`Comparing canonicalisers failed: ${CORPORA_ABSENT}.`);
const all = await mirror();
const print = (line: string) => void process.stdout.write(`${line}\n`);
for (const source of new Set(all.map(({ one }) => one.source))) {
  const own = all.filter(({ one }) => one.source === source);
  const list = (agrees: boolean) => tally(own, agrees).map(([name, count]) => `${count} ${name}`).join(", ");
  print(`${source}: ${own.length} cases. Agree: ${list(true) || "none"}. Disagree: ${list(false) || "none"}.`);
}
print(`all: ${all.length} cases`);
for (const [name, count] of [...tally(all, true), ...tally(all, false)]) print(`  ${count} ${name}`);
if (process.argv.includes("--cases")) {
  for (const { one, ours, verdict } of all) {
    if (!verdict.agrees) {
      print(JSON.stringify({ kind: verdict.kind, source: one.source, input: one.input, theirs: one.expected, ours }));
    }
  }
}
