/**
 * Gives the compiled core its component export names: AssemblyScript can't write `export { f as "a:b/c@1#d" }`.
 * Invariant: `raw_*`, `memory` and `cabi_realloc` keep their names; every other export is `<interface>_<function>`.
 */

const KEPT = /^(memory|cabi_realloc|raw_.*)$/;

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `urls_resolveAll` -> `outrider:core/urls@0.1.0#resolve-all`; `packageId` is `outrider:core@0.1.0`. */
export function componentName(exported: string, packageId: string): string {
  if (KEPT.test(exported)) return exported;
  const cut = exported.indexOf("_");
  if (cut < 1) {
    throw new Error(`Naming the core's exports found "${exported}"; wanted raw_* or <interface>_<function>.`);
  }
  const [name, version] = packageId.split("@");
  return `${name}/${kebab(exported.slice(0, cut))}@${version}#${kebab(exported.slice(cut + 1))}`;
}

/** The part of binaryen's module that is used. */
export interface ExportTable {
  getNumExports(): number;
  getExportByIndex(index: number): number;
  removeExport(name: string): void;
  addFunctionExport(internalName: string, externalName: string): unknown;
}

export interface ExportInfo {
  readonly kind: number;
  readonly name: string;
  readonly value: string;
}

/** Renames every function export in place. */
export function renameExports(
  module: ExportTable,
  infoOf: (reference: number) => ExportInfo,
  functionKind: number,
  packageId: string,
): void {
  const exports = Array.from({ length: module.getNumExports() }, (_, index) => infoOf(module.getExportByIndex(index)));
  for (const { kind, name, value } of exports) {
    const wanted = kind === functionKind ? componentName(name, packageId) : name;
    if (wanted === name) continue;
    module.removeExport(name);
    module.addFunctionExport(value, wanted);
  }
}
