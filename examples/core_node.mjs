/** The core alone on Node. Build it once (`deno task build` or `bun run build`), then: `node examples/core_node.mjs` */

import { loadCore } from "outrider/core";
import { coreAnswers } from "./core_answers.js";

const { hash, lines } = coreAnswers(await loadCore());
for (const line of lines) console.log(line);
console.log(hash);
