/**
 * Puts a budget into a wasm module: of steps (turns of its loops) and of memory. Two exported globals hold what is left.
 * Invariant: a module with a budget that is spent traps, in whatever loop it is, and memory beyond its bound is refused;
 * within the budget it answers as it did before.
 *
 * No runtime can stop a wasm loop from outside: on Deno 2.9 and Bun 1.4 a worker that was terminated in one goes on
 * for ever (ADR 28). Recursion needs no count: a stack that is full traps by itself.
 */

import binaryen from "assemblyscript/binaryen";

/** Exported i64: turns of loops that are left; a call begins with what the host writes there. */
const STEPS = "raw_steps";
/** Exported i32: 64 KiB pages that the memory may have. */
const PAGES = "raw_pages";
/** Exported function: what a growth is asked of. */
const GATE = "raw_gate";
/** All that wasm can have, and one more than can ever be added. */
const MOST_PAGES = 65_536;

/** More than any call will take: what a module has whose host sets no budget. */
const MOST_STEPS = 2n ** 63n - 1n;

/** Its declarations are of an older binaryen. */
function i64(module: binaryen.Module, value: bigint): number {
  return (module.i64.const as unknown as (value: bigint) => number)(value);
}

/** What binaryen.js has and its declarations leave out. */
interface Editors {
  readonly Loop: { getBody(expression: number): number; setBody(expression: number, body: number): void };
  readonly MemoryGrow: { getDelta(expression: number): number; setDelta(expression: number, delta: number): void };
}

/** Fields of an expression that are expressions, or lists of them. */
const CHILDREN = [
  ...["condition", "ifTrue", "ifFalse", "body", "children", "operands", "target", "value", "ptr", "left", "right"],
  ...["delta", "ref", "vec", "a", "b", "c", "dest", "source", "size"],
];
/** Without children: a constant's value is a number too, and of the others binaryen.js has nothing to tell. */
const LEAVES = new Set([binaryen.ConstId, binaryen.NopId, binaryen.UnreachableId]);

/** What is within an expression, one level down. */
export function childrenOf(expression: number): number[] {
  if (LEAVES.has(binaryen.getExpressionId(expression))) return [];
  const info = binaryen.getExpressionInfo(expression) as unknown as Record<string, unknown>;
  return CHILDREN.flatMap((name) => (name in info ? [info[name]].flat() : []))
    .filter((child): child is number => typeof child === "number" && child !== 0);
}

/** `pages` where that many more may be had; else more than can be had, so that growing is refused. */
function addGate(module: binaryen.Module): void {
  const { i32, global } = module;
  const asked = () => module.local.get(0, binaryen.i32);
  const room = i32.sub(global.get(PAGES, binaryen.i32), module.memory.size());
  // A number that is negative when signed asks for more than there is.
  const fits = i32.and(i32.le_s(asked(), room), i32.ge_s(asked(), i32.const(0)));
  const body = module.select(fits, asked(), i32.const(MOST_PAGES));
  module.addFunction(GATE, binaryen.createType([binaryen.i32]), binaryen.i32, [], body);
}

/** Charges every turn of a loop in these functions, and asks before their memory grows. The module has the two globals. */
export function charge(module: binaryen.Module, functions: readonly number[]): void {
  const { Loop, MemoryGrow } = binaryen as unknown as Editors;
  // In a module that was read the exports alone have kept their names.
  const nameOf = (name: string) => binaryen.getExportInfo(module.getExport(name)).value;
  const [steps, gate] = [nameOf(STEPS), nameOf(GATE)];
  const turn = () => {
    const left = module.i64.sub(module.global.get(steps, binaryen.i64), i64(module, 1n));
    const spent = module.i64.lt_s(module.global.get(steps, binaryen.i64), i64(module, 0n));
    return [module.global.set(steps, left), module.if(spent, module.unreachable())];
  };
  const walk = (expression: number) => {
    for (const child of childrenOf(expression)) walk(child);
    const id = binaryen.getExpressionId(expression);
    if (id === binaryen.LoopId) {
      const body = Loop.getBody(expression);
      Loop.setBody(expression, module.block(null, [...turn(), body], binaryen.getExpressionType(body)));
    } else if (id === binaryen.MemoryGrowId) {
      MemoryGrow.setDelta(expression, module.call(gate, [MemoryGrow.getDelta(expression)], binaryen.i32));
    }
  };
  for (const reference of functions) {
    const { body } = binaryen.getFunctionInfo(reference);
    if (body !== 0) walk(body);
  }
}

/** Throws when the module isn't one, or isn't valid with its budget. */
export function withBudget(wasm: Uint8Array): Uint8Array<ArrayBuffer> {
  const module = binaryen.readBinary(wasm);
  module.setFeatures(binaryen.Features.All);
  const functions = Array.from({ length: module.getNumFunctions() }, (_, i) => module.getFunctionByIndex(i));
  module.addGlobal(STEPS, binaryen.i64, true, i64(module, MOST_STEPS));
  module.addGlobal(PAGES, binaryen.i32, true, module.i32.const(MOST_PAGES));
  for (const name of [STEPS, PAGES]) module.addGlobalExport(name, name);
  addGate(module);
  module.addFunctionExport(GATE, GATE);
  charge(module, functions);
  if (module.validate() !== 1) throw new Error("Putting a budget into the core made a module that isn't valid.");
  const bytes = Uint8Array.from(module.emitBinary());
  module.dispose();
  return bytes;
}
