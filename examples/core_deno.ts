/** The core alone on Deno. Build it once (`deno task build` or `bun run build`), then: `deno run --allow-read examples/core_deno.ts` */

import { loadCore } from "outrider/core";
import { coreAnswers } from "./core_answers.js";

const { hash, lines } = coreAnswers(await loadCore());
for (const line of lines) console.log(line);
console.log(hash);
