/** The marked module: what it answers is what the core answers, and its marks tell what was run. */

import assert from "node:assert/strict";
import { loadArtefact } from "../../../core-wasm/load.ts";
import { coreOf, loadCore } from "../../../core-wasm/mod.ts";
import { test } from "../../support/test.ts";
import { instrument, markName } from "./instrument.ts";

test("marks of the core's module: the same answers, and more marks with every kind of call", async () => {
  const { bytes, instantiate } = await loadArtefact();
  const marked = instrument(bytes);
  assert.ok(marked.functions.length > 1000);
  let exported: Record<string, WebAssembly.Global> = {};
  const core = coreOf({
    bytes: marked.bytes,
    module: await WebAssembly.compile(marked.bytes),
    instantiate: (getModule, imports, make) =>
      instantiate(getModule, imports, (module, ownImports) => {
        const instance = make(module, ownImports);
        exported = instance.exports as Record<string, WebAssembly.Global>;
        return instance;
      }),
  });
  const reached = () => marked.functions.reduce((sum, _, index) => sum + exported[markName(index)]!.value, 0);
  const atFirst = reached();
  const plain = await loadCore();
  const url = "http://Example.com/a/../%7eb?z=1&a=2#f";
  assert.deepEqual(core.url(url), plain.url(url));
  const afterUrl = reached();
  const page = new TextEncoder().encode("<title>t</title><a href=/x>winter signal copper</a>");
  assert.deepEqual(core.scan(page, { url: "http://e.org/" }).links, plain.scan(page, { url: "http://e.org/" }).links);
  const afterScan = reached();
  assert.ok(atFirst < afterUrl && afterUrl < afterScan && afterScan < marked.functions.length);
});
