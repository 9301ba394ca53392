/**
 * The compilers in their order: asc, component embed and new, jco transpile, and what is taken out of its result.
 * Only build.ts loads this file: the tools it needs are absent where the core is only used.
 */

import { renameExports } from "./export_names.ts";
import type { ExportInfo, ExportTable } from "./export_names.ts";

export interface CompileInputs {
  /** The folder that holds assembly/ and wit/. */
  readonly home: string;
  readonly witSource: string;
}

/** The files of build/, by name. */
export async function compileCore(inputs: CompileInputs): Promise<Map<string, Uint8Array | string>> {
  const core = await compileAssembly(inputs, false);
  const { componentEmbed, componentNew } = await import("@bytecodealliance/jco-transpile/wasm-tools");
  const embedded = await componentEmbed({
    binary: core,
    witSource: inputs.witSource,
    world: "core",
    stringEncoding: "utf8",
  });
  const component = await componentNew(embedded, []);
  const { transpileBytes } = await import("@bytecodealliance/jco-transpile");
  const { files } = await transpileBytes(component, {
    name: "core",
    instantiation: "async",
    emitTypescriptDeclarations: false,
    nodejsCompat: false,
  });
  const products = new Map<string, Uint8Array | string>();
  for (const [path, bytes] of Object.entries(files)) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (/\.(js|wasm)$/.test(name)) products.set(name, bytes);
  }
  const glue = products.get("core.js");
  if (glue === undefined || !products.has("core.core.wasm") || products.size !== 2) {
    throw new Error(`jco made ${[...products.keys()].join(", ")}; wanted core.js and one core module, core.core.wasm.`);
  }
  products.set("core.js", withoutDebugLookup(new TextDecoder().decode(glue as Uint8Array)));
  return products;
}

/** One environment lookup per call, several times over: it costs more than the call, and Deno asks leave for it. */
function withoutDebugLookup(glue: string): string {
  const lookup = /if \(!globalThis\?\.process\?\.env\?\.JCO_DEBUG\) \{ return; \}\s*console\.debug\(\.\.\.args\);/;
  if (!lookup.test(glue)) {
    throw new Error("jco's output has changed: its debug log wasn't found where it is taken out.");
  }
  return glue.replace(lookup, "");
}

const RELEASE = ["-O3", "--noAssert"];
/**
 * With asserts, names, and guards around buffers (assembly/memory/buffers.ts); hardly optimised, so that the optimiser is
 * tested.
 */
const DEBUG = ["-O1", "--debug"];

/** The core module alone, with the exports that jco's glue asks for. */
export async function compileAssembly({ home, witSource }: CompileInputs, isDebug: boolean): Promise<Uint8Array> {
  const packageId = /package\s+([a-z:-]+@[\d.]+);/.exec(witSource)?.[1];
  if (packageId === undefined) {
    throw new Error("wit/core.wit names no package; wanted `package outrider:core@<version>;`.");
  }
  const { default: binaryen } = await import("assemblyscript/binaryen");
  const flags = [
    "--runtime",
    "minimal",
    ...(isDebug ? DEBUG : RELEASE),
    "--use",
    "abort=",
    "--enable",
    "simd",
    "--noColors",
  ];
  const core = await compileFile({ home, entry: "assembly/index.ts", flags }, [{
    afterCompile(module: unknown) {
      const infoOf = (reference: number) => binaryen.getExportInfo(reference) as unknown as ExportInfo;
      renameExports(module as ExportTable, infoOf, binaryen.ExternalFunction, packageId);
    },
  }]);
  const { withBudget } = await import("./budget.ts");
  return withBudget(core);
}

/**
 * bloomfilter.wasm: a module of its own, as one with shared memory can't be part of a component. The most pages stand in
 * shared_filter.ts too.
 */
export async function compileSharedFilter(home: string): Promise<Uint8Array> {
  const shared = ["--enable", "threads", "--sharedMemory", "--importMemory", "--initialMemory", "1"];
  const flags = [
    "--runtime",
    "stub",
    ...RELEASE,
    "--use",
    "abort=",
    ...shared,
    "--maximumMemory",
    "32768",
    "--noColors",
  ];
  return await compileFile({ home, entry: "assembly/shared/bloomfilter.ts", flags }, []);
}

/** filter.wasm: the core's filter in a module of its own. */
export async function compileFilter(home: string): Promise<Uint8Array> {
  const flags = ["--runtime", "minimal", ...RELEASE, "--use", "abort=", "--enable", "simd", "--noColors"];
  return await compileFile({ home, entry: "assembly/door_filter.ts", flags }, []);
}

async function compileFile(
  { home, entry, flags }: { readonly home: string; readonly entry: string; readonly flags: readonly string[] },
  transforms: readonly unknown[],
): Promise<Uint8Array> {
  const asc = await import("assemblyscript/asc");
  let wasm: Uint8Array | undefined;
  const { error, stderr } = await asc.main(
    [entry, "--baseDir", home, "-o", "out.wasm", ...flags],
    {
      writeFile(_name: string, content: Uint8Array | string) {
        if (typeof content !== "string") wasm = content;
      },
      transforms,
    } as unknown as Parameters<typeof asc.main>[1],
  );
  if (error || wasm === undefined) {
    throw new Error(
      `AssemblyScript refused core-wasm/${entry}: ${error?.message ?? "no output"}\n${stderr?.toString()}`,
    );
  }
  return wasm;
}
