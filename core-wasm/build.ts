/**
 * Compiles core-wasm: AssemblyScript -> core module -> component -> ES module, into core-wasm/build/.
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
const STAMP = join(OUT, "stamp.txt");
/** What a build must have left behind; the stamp is written last. */
const PRODUCTS = ["core.js", "core.core.wasm"];

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
function stampOfInputs(): string {
  const hash = createHash("sha256");
  const sources = [...filesUnder(join(HOME, "assembly")), ...filesUnder(join(HOME, "wit"))];
  const own = ["build.ts", "compile.ts", "export_names.ts"].map((name) => join(HOME, name));
  for (const path of [...sources, ...own]) {
    hash.update(`${relative(HOME, path)}\n`).update(readFileSync(path)).update("\0");
  }
  hash.update(toolVersion("assemblyscript")).update(toolVersion("@bytecodealliance/jco-transpile"));
  return hash.digest("hex");
}

function isUpToDate(stamp: string): boolean {
  return existsSync(STAMP) && readFileSync(STAMP, "utf8") === stamp &&
    PRODUCTS.every((name) => existsSync(join(OUT, name)));
}

/** Every file is written aside and renamed into place, the stamp last: a reader never sees half a file. */
function publish(files: ReadonlyMap<string, Uint8Array | string>, stamp: string): void {
  const aside = join(OUT, `.tmp-${process.pid}`);
  mkdirSync(aside, { recursive: true });
  try {
    for (const [name, content] of [...files, ["stamp.txt", stamp] as const]) {
      writeFileSync(join(aside, name), content);
      renameSync(join(aside, name), join(OUT, name));
    }
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** Builds if anything changed. True when it did. */
export async function buildCore(log: (line: string) => void): Promise<boolean> {
  const stamp = stampOfInputs();
  if (isUpToDate(stamp)) return false;
  const startedAt = performance.now();
  const { compileCore } = await import("./compile.ts");
  const files = await compileCore({
    home: HOME,
    witSource: readFileSync(join(HOME, "wit", "core.wit"), "utf8"),
  });
  publish(files, stamp);
  const wasmBytes = files.get("core.core.wasm")?.length ?? 0;
  log(`core-wasm: built ${wasmBytes} bytes of wasm in ${Math.round(performance.now() - startedAt)} ms`);
  return true;
}

if (import.meta.main) {
  try {
    await buildCore((line) => process.stderr.write(`${line}\n`));
  } catch (error) {
    process.stderr.write(`Building core-wasm failed: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
