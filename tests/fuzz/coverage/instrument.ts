/**
 * Puts a mark into every stretch of a wasm module that is run as a whole: functions, arms of ifs, loops, and what follows a
 * branch. A mark is an exported global that becomes 1.
 * Invariant: nothing else of what the module does changes; it is slower.
 */

import binaryen from "assemblyscript/binaryen";
import { childrenOf } from "../../../core-wasm/budget.ts";

export interface Instrumented {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Name of the function that each mark stands in, by its number. */
  readonly functions: readonly string[];
}

/** Exported global of a mark. */
export function markName(index: number): string {
  return `mark${index}`;
}

const BRANCHES = new Set([binaryen.BreakId, binaryen.SwitchId, binaryen.ReturnId]);

/** What binaryen.js has and its declarations leave out. */
interface Editors {
  readonly If: {
    getIfTrue(expression: number): number;
    setIfTrue(expression: number, arm: number): void;
    getIfFalse(expression: number): number;
    setIfFalse(expression: number, arm: number): void;
  };
  readonly Loop: { getBody(expression: number): number; setBody(expression: number, body: number): void };
  readonly Block: {
    getNumChildren(expression: number): number;
    getChildAt(expression: number, index: number): number;
    insertChildAt(expression: number, index: number, child: number): void;
  };
  readonly Function: { setBody(reference: number, body: number): void };
}
const { If, Loop, Block, Function: Functions } = binaryen as unknown as Editors;

class Marker {
  readonly functions: string[] = [];
  readonly #module: binaryen.Module;
  #function = "";

  constructor(module: binaryen.Module) {
    this.#module = module;
  }

  #mark(): number {
    const name = markName(this.functions.length);
    this.functions.push(this.#function);
    this.#module.addGlobal(name, binaryen.i32, true, this.#module.i32.const(0));
    this.#module.addGlobalExport(name, name);
    return this.#module.global.set(name, this.#module.i32.const(1));
  }

  #marked(expression: number): number {
    return this.#module.block(null, [this.#mark(), expression], binaryen.getExpressionType(expression));
  }

  /** Marks what is within; true when there is a branch in it. */
  #walk(expression: number): boolean {
    const id = binaryen.getExpressionId(expression);
    if (id === binaryen.BlockId) return this.#walkBlock(expression);
    let branches = BRANCHES.has(id);
    for (const child of childrenOf(expression)) branches = this.#walk(child) || branches;
    if (id === binaryen.IfId) {
      If.setIfTrue(expression, this.#marked(If.getIfTrue(expression)));
      const other = If.getIfFalse(expression);
      if (other !== 0) If.setIfFalse(expression, this.#marked(other));
    }
    if (id === binaryen.LoopId) Loop.setBody(expression, this.#marked(Loop.getBody(expression)));
    return branches;
  }

  #walkBlock(block: number): boolean {
    let branches = false;
    for (let i = 0; i < Block.getNumChildren(block); i++) {
      if (!this.#walk(Block.getChildAt(block, i))) continue;
      branches = true;
      if (i + 1 < Block.getNumChildren(block)) Block.insertChildAt(block, ++i, this.#mark());
    }
    return branches;
  }

  markAll(): void {
    for (let index = 0; index < this.#module.getNumFunctions(); index++) {
      const reference = this.#module.getFunctionByIndex(index);
      const { name, body } = binaryen.getFunctionInfo(reference);
      if (body === 0) continue;
      this.#function = name;
      this.#walk(body);
      Functions.setBody(reference, this.#marked(body));
    }
  }
}

/** Throws when the module isn't one, or isn't valid with its marks. */
export function instrument(wasm: Uint8Array): Instrumented {
  const module = binaryen.readBinary(wasm);
  module.setFeatures(binaryen.Features.All);
  const marker = new Marker(module);
  marker.markAll();
  if (module.validate() !== 1) throw new Error("Marking the core's stretches made a module that isn't valid.");
  const bytes = Uint8Array.from(module.emitBinary());
  module.dispose();
  return { bytes, functions: marker.functions };
}
