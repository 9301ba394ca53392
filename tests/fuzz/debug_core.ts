/**
 * The core's build with asserts and guarded buffers (`deno run -A core-wasm/build.ts --debug`), by the same glue.
 * Invariant: the same answers as the release build, or one of them is wrong.
 */

import { readFileSync } from "node:fs";
import { BUILD_FOLDER } from "../../core-wasm/build_folder.ts";
import { type Artefact, loadArtefact } from "../../core-wasm/load.ts";

export async function loadDebugArtefact(): Promise<Artefact> {
  const { instantiate } = await loadArtefact();
  const bytes = new Uint8Array(readFileSync(new URL("core.debug.wasm", BUILD_FOLDER)));
  return { bytes, module: await WebAssembly.compile(bytes), instantiate };
}
