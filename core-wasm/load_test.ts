import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "../tests/support/test.ts";
import { BUILD_FOLDER } from "./build_folder.ts";
import { mustFit } from "./load.ts";

/** A module without anything in it. */
const EMPTY = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

test("a core that was built from other sources is told apart before it is called, and what it lacks", () => {
  for (const [door, name] of [["core", "core.core.wasm"], ["filter", "filter.wasm"]] as const) {
    const module = new WebAssembly.Module(readFileSync(new URL(name, BUILD_FOLDER)) as Uint8Array<ArrayBuffer>);
    mustFit(door, module);
    const other = new WebAssembly.Module(EMPTY);
    assert.throws(
      () => mustFit(door, other),
      /was built from other sources, as it has no memory, raw_reserve, raw_guards/,
    );
  }
});
