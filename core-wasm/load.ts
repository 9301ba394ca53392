/**
 * Finds the compiled core (build_folder.ts): from disk on Deno, Bun and Node, by fetch elsewhere.
 * Invariant: nothing is loaded before `loadArtefact` is called, and only once.
 */

import { BUILD_FOLDER } from "./build_folder.ts";
import type { Instantiate } from "./instance.ts";
import { type Door, lackingExports } from "./raw_door_names.ts";

export interface Artefact {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly module: WebAssembly.Module;
  readonly instantiate: Instantiate;
  /** What filters are instances of; absent = the core itself. */
  readonly filterModule?: WebAssembly.Module;
}

/** The core has to be built: nothing else helps. Its message says so. */
export class CoreBuildError extends Error {
  override readonly name = "CoreBuildError";
}

const GLUE = new URL("core.js", BUILD_FOLDER);
const FILTER = new URL("filter.wasm", BUILD_FOLDER);
const WASM = new URL("core.core.wasm", BUILD_FOLDER);

/** A file of the build: from disk, or by fetch where there is none. */
export async function readBytes(url: URL): Promise<Uint8Array<ArrayBuffer>> {
  if (url.protocol !== "file:") return new Uint8Array(await (await fetch(url)).arrayBuffer());
  const { readFile } = await import("node:fs/promises");
  return new Uint8Array(await readFile(url));
}

async function load(): Promise<Artefact> {
  try {
    const [bytes, filter, glue] = await Promise.all([
      readBytes(WASM),
      readBytes(FILTER),
      import(GLUE.href) as Promise<{ instantiate: Instantiate }>,
    ]);
    const [module, filterModule] = await Promise.all([WebAssembly.compile(bytes), WebAssembly.compile(filter)]);
    mustFit("core", module);
    mustFit("filter", filterModule);
    return { bytes, module, filterModule, instantiate: glue.instantiate };
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    throw new CoreBuildError(
      `Loading the core from core-wasm/build failed: ${found}; build it with \`deno task build\` or \`bun run build\`.`,
    );
  }
}

/** Throws what is wrong with a build of other sources: its calls would fail anywhere. */
export function mustFit(door: Door, module: WebAssembly.Module): void {
  const lacking = lackingExports(door, module);
  if (lacking.length === 0) return;
  throw new Error(`its ${door} was built from other sources, as it has no ${lacking.slice(0, 3).join(", ")}`);
}

let loading: Promise<Artefact> | undefined;

/** The compiled core of this process. A failed load is tried anew by the next call. */
export function loadArtefact(): Promise<Artefact> {
  loading ??= load().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}
