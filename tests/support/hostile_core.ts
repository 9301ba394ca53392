/**
 * The compiled core with two bugs put in, for the tests of what holds a scan within its budget: pages of one length are
 * read for ever, pages of another ask for memory for ever and use it.
 * Invariant: every other page is scanned as the core does; the bugs are charged as all of the core's code is.
 */

import binaryen from "assemblyscript/binaryen";
import { charge } from "../../core-wasm/budget.ts";
import { type Artefact, loadArtefact } from "../../core-wasm/load.ts";

/** Bytes of a UTF-8 page that is never done. */
export const ENDLESS_BYTES = 7777;
/** Bytes of a page that takes all memory there is. */
export const GREEDY_BYTES = 8888;

const PAGE_SHIFT = 16;

/**
 * `greedyPages`: pages of 64 KiB that the greedy scan asks for at a time. Where Bun has given its few fast memories away,
 * as in a run of all tests, it copies the whole memory at each growth: there one page at a time takes minutes.
 */
export async function hostileArtefact(greedyPages = 1): Promise<Artefact> {
  const artefact = await loadArtefact();
  const module = binaryen.readBinary(artefact.bytes);
  module.setFeatures(binaryen.Features.All);
  const { i32, memory } = module;
  const endless = module.addFunction(
    "endless",
    binaryen.none,
    binaryen.none,
    [],
    module.loop("again", module.br("again")),
  );
  const before = () => module.local.get(0, binaryen.i32);
  const take = module.local.set(0, memory.grow(i32.const(greedyPages)));
  const greedy = module.addFunction(
    "greedy",
    binaryen.none,
    binaryen.none,
    [binaryen.i32],
    module.loop(
      "again",
      module.block(null, [
        take,
        // As AssemblyScript's allocator does when it gets no memory.
        module.if(i32.eq(before(), i32.const(-1)), module.unreachable()),
        memory.fill(i32.shl(before(), i32.const(PAGE_SHIFT)), i32.const(1), i32.const(greedyPages << PAGE_SHIFT)),
        module.br("again"),
      ]),
    ),
  );
  charge(module, [endless, greedy]);
  const scan = module.getFunction(binaryen.getExportInfo(module.getExport("raw_scan")).value);
  const { body } = binaryen.getFunctionInfo(scan);
  const onLength = (bytes: number, name: string) =>
    module.if(i32.eq(module.local.get(0, binaryen.i32), i32.const(bytes)), module.call(name, [], binaryen.none));
  const { Function: functions } = binaryen as unknown as {
    Function: { setBody(reference: number, body: number): void };
  };
  const bugs = [onLength(ENDLESS_BYTES, "endless"), onLength(GREEDY_BYTES, "greedy")];
  functions.setBody(scan, module.block(null, [...bugs, body], binaryen.i32));
  if (module.validate() !== 1) throw new Error("Putting bugs into the core made a module that isn't valid.");
  const bytes = Uint8Array.from(module.emitBinary());
  module.dispose();
  return { ...artefact, bytes, module: new WebAssembly.Module(bytes) };
}

/** A page of exactly so many bytes, with a link to `href`. */
export function pageOf(bytes: number, href: string): string {
  const page = `<!doctype html><title>t</title><a href="${href}">on</a><p>`;
  return page + "x".repeat(bytes - page.length);
}
