/**
 * Compiles core-wasm into core-wasm/build/: AssemblyScript -> core module -> component -> ES module, and the host's
 * TypeScript -> one plain ES module.
 * Runs on Deno and on Bun with the same bytes as result. Invariant: nothing is done, and nothing printed, when the
 * sources and tools are those of the last build; a file in build/ is whole or absent, also when two builds overlap.
 */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const HOME = dirname(fileURLToPath(import.meta.url));
const OUT = join(HOME, "build");

/** Something that is built, and from what. */
interface Part {
  /** Written last: a hash of all that decides the result. */
  readonly stampName: string;
  readonly products: readonly string[];
  /** Files, and packages whose versions count. */
  readonly sources: () => readonly string[];
  readonly packages: readonly string[];
  readonly make: () => Promise<Map<string, Uint8Array | string>>;
}

const COMPILED: Part = {
  stampName: "stamp.txt",
  products: ["core.js", "core.core.wasm"],
  sources: () => [
    ...filesUnder(join(HOME, "assembly")),
    ...filesUnder(join(HOME, "wit")),
    ...["budget.ts", "build.ts", "compile.ts", "export_names.ts"].map((name) => join(HOME, name)),
  ],
  packages: ["assemblyscript", "@bytecodealliance/jco-transpile"],
  make: async () => {
    const { compileCore } = await import("./compile.ts");
    return await compileCore({ home: HOME, witSource: readFileSync(join(HOME, "wit", "core.wit"), "utf8") });
  },
};

/** The filter that workers share: a module of its own, with shared memory. */
const SHARED: Part = {
  stampName: "shared_stamp.txt",
  products: ["bloomfilter.wasm"],
  sources: () => [join(HOME, "assembly", "shared", "bloomfilter.ts"), join(HOME, "compile.ts")],
  packages: ["assemblyscript"],
  make: async () => {
    const { compileSharedFilter } = await import("./compile.ts");
    return new Map([["bloomfilter.wasm", await compileSharedFilter(HOME)]]);
  },
};

/** The filter alone: instances of it are small. */
const FILTER: Part = {
  stampName: "filter_stamp.txt",
  products: ["filter.wasm"],
  sources: () => [
    ...["bloom", "hash", "memory"].flatMap((name) => filesUnder(join(HOME, "assembly", name))),
    join(HOME, "assembly", "door_filter.ts"),
    join(HOME, "compile.ts"),
  ],
  packages: ["assemblyscript"],
  make: async () => {
    const { compileFilter } = await import("./compile.ts");
    return new Map([["filter.wasm", await compileFilter(HOME)]]);
  },
};

/** The compiled core with asserts and guarded buffers, for fuzzing: only built when it is asked for. */
const DEBUG: Part = {
  ...COMPILED,
  stampName: "debug_stamp.txt",
  products: ["core.debug.wasm"],
  make: async () => {
    const { compileAssembly } = await import("./compile.ts");
    const witSource = readFileSync(join(HOME, "wit", "core.wit"), "utf8");
    return new Map([["core.debug.wasm", await compileAssembly({ home: HOME, witSource }, true)]]);
  },
};

/** The host's side as plain JS. */
const BUNDLED: Part = {
  stampName: "bundle_stamp.txt",
  products: ["mod.js"],
  sources: () => [
    ...filesUnder(HOME).filter((path) => dirname(path) === HOME),
    ...filesUnder(join(HOME, "..", "protocol")),
  ],
  packages: ["esbuild", "tldts"],
  make: async () => {
    const { bundleCore } = await import("./bundle.ts");
    return new Map([["mod.js", await bundleCore(HOME)]]);
  },
};

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesUnder(path) : [path];
    })
    .filter((path) => /\.(ts|wit)$/.test(path) && !path.endsWith("_test.ts"))
    .sort();
}

function toolVersion(name: string): string {
  const manifest = join(HOME, "..", "node_modules", ...name.split("/"), "package.json");
  return `${name} ${(JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version}`;
}

/** SHA-256 over names and contents of all that decides the result. */
function stampOf({ sources, packages }: Part): string {
  const hash = createHash("sha256");
  for (const path of sources()) {
    hash.update(`${relative(HOME, path)}\n`).update(readFileSync(path)).update("\0");
  }
  for (const name of packages) hash.update(toolVersion(name));
  return hash.digest("hex");
}

function isUpToDate({ stampName, products }: Part, stamp: string): boolean {
  const at = join(OUT, stampName);
  return existsSync(at) && readFileSync(at, "utf8") === stamp && products.every((name) => existsSync(join(OUT, name)));
}

/** Every file is written aside and renamed into place, the stamp last: a reader never sees half a file. */
function publish(files: ReadonlyMap<string, Uint8Array | string>, stamp: readonly [name: string, text: string]): void {
  const aside = join(OUT, `.tmp-${process.pid}`);
  mkdirSync(aside, { recursive: true });
  try {
    for (const [name, content] of [...files, stamp]) {
      writeFileSync(join(aside, name), content);
      renameSync(join(aside, name), join(OUT, name));
    }
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

const PARTS: readonly Part[] = [COMPILED, SHARED, FILTER, BUNDLED];

/** Builds what has changed; with `debug` the build with asserts too. True when anything had. */
export async function buildCore(log: (line: string) => void, debug = false): Promise<boolean> {
  let hasBuilt = false;
  for (const part of debug ? [...PARTS, DEBUG] : PARTS) {
    const stamp = stampOf(part);
    if (isUpToDate(part, stamp)) continue;
    const startedAt = performance.now();
    const files = await part.make();
    publish(files, [part.stampName, stamp]);
    const sizes = [...files].map(([name, content]) => `${name} (${content.length})`).join(", ");
    log(`core-wasm: built ${sizes} in ${Math.round(performance.now() - startedAt)} ms`);
    hasBuilt = true;
  }
  return hasBuilt;
}

if (import.meta.main) {
  try {
    await buildCore((line) => process.stderr.write(`${line}\n`), process.argv.includes("--debug"));
  } catch (error) {
    process.stderr.write(`Building core-wasm failed: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
