/**
 * The core's build with asserts and guarded buffers (`deno run -A core-wasm/build.ts --debug`), by the same glue.
 * Invariant: the same answers as the release build, or one of them is wrong.
 */

import { readFileSync } from "node:fs";
import { BUILD_FOLDER } from "../../core-wasm/build_folder.ts";
import type { RawDoor } from "../../core-wasm/instance.ts";
import { loadArtefact } from "../../core-wasm/load.ts";
import { type Core, coreOf } from "../../core-wasm/mod.ts";

export interface DebugCore {
  readonly core: Core;
  /** Throws when anything was written beside a buffer. */
  checkGuards(): void;
}

export async function loadDebugCore(): Promise<DebugCore> {
  const { instantiate } = await loadArtefact();
  const bytes = new Uint8Array(readFileSync(new URL("core.debug.wasm", BUILD_FOLDER)));
  const module = await WebAssembly.compile(bytes);
  let raw: RawDoor | undefined;
  const core = coreOf({
    bytes,
    module,
    instantiate: (getModule, imports, make) =>
      instantiate(getModule, imports, (own, ownImports) => {
        const instance = make(own, ownImports);
        raw = instance.exports as unknown as RawDoor;
        return instance;
      }),
  });
  return {
    core,
    checkGuards() {
      const broken = raw?.raw_guards() ?? 0;
      if (broken !== 0) {
        throw new Error(`Checking the core's buffers found ${broken} that were written beside; 0 was wanted.`);
      }
    },
  };
}
