import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { check } from "./check.ts";
import { blank, functions, imports } from "./source.ts";

const HEAD = "/** Responsibility. */\n";

/** The problems of these files, plus a root that reaches them all. */
function problems(files: Record<string, string>): string[] {
  const sources = new Map(Object.entries(files).map(([path, text]) => [path, HEAD + text]));
  const root = [...sources.keys()].map((path) => `import "../${path}";`).join("\n");
  return check(new Map([...sources, ["tests/all_test.ts", root]]));
}

const one = (found: string[], pattern: RegExp) => {
  assert.equal(found.length, 1, found.join("\n"));
  assert.match(found[0]!, pattern);
};

test("tidy: a clean house has nothing to say", () => {
  assert.deepEqual(
    problems({
      "protocol/a.ts": "export const a = 1;\n",
      "edge/steps/b.ts": 'import { a } from "../../protocol/a.ts";\nexport const b = a;\n',
    }),
    [],
  );
});

test("tidy: imports against the direction", () => {
  one(
    problems({
      "coordinator/ports.ts": "export const c = 1;\n",
      "edge/a.ts": 'import { c } from "../coordinator/ports.ts";\nexport const a = c;\n',
    }),
    /^edge\/a\.ts:2 .*may import only/,
  );
  one(
    problems({ "edge/a.ts": "export const c = 1;\n", "protocol/a.ts": 'export { c } from "../edge/a.ts";\n' }),
    /^protocol\/a\.ts:2/,
  );
});

test("tidy: packages outside their room", () => {
  one(
    problems({ "edge/steps/a.ts": 'import { Hono } from "hono";\nexport const a = Hono;\n' }),
    /only these packages: none/,
  );
  one(
    problems({
      "coordinator/store/a.ts": 'import { createClient } from "@libsql/client";\nexport const a = createClient;\n',
    }),
    /only coordinator\/store\/libsql_client\.ts may/,
  );
  one(problems({ "bench/a.ts": 'import { request } from "undici";\nexport const a = request;\n' }), /shim on Bun/);
});

test("tidy: banned globals in domain code, but not in its comments and strings", () => {
  one(
    problems({ "coordinator/frontier/a.ts": "// Date.now\nexport const a = () => Date.now();\n" }),
    /^coordinator\/frontier\/a\.ts:3 names Date/,
  );
  one(problems({ "edge/steps/a.ts": "export const a = () => fetch(`x`);\n" }), /names fetch\(/);
  assert.deepEqual(
    problems({
      "edge/steps/a.ts":
        "/* console */ interface F { fetch(u: string): void }\nexport const a = (f: F) => f.fetch('Deno');\n",
    }),
    [],
  );
  one(problems({ "cli/a.ts": "export const a = Deno.args;\n" }), /names Deno/);
});

test("tidy: long files, long functions, many parameters", () => {
  one(
    problems({ "protocol/a.ts": "export const a = 1;\n".padEnd(430, "\n"), "protocol/b.ts": "", "protocol/c.ts": "" }),
    /has 41\d lines; a file/,
  );
  one(problems({ "protocol/a.ts": `export function long(): void {\n${"  //\n".repeat(80)}}\n` }), /long has 82 lines/);
  one(
    problems({
      "protocol/a.ts":
        "export function wide(a: number, b: Map<string, number>, c: () => void, d: 1, e: 2): void {\n  c();\n}\n",
    }),
    /wide takes 5 parameters/,
  );
});

test("tidy: missing .ts, missing files, default exports, bad folders", () => {
  one(
    problems({ "protocol/b.ts": "export const b = 1;\n", "protocol/a.ts": 'export { b } from "./b";\n' }),
    /without "\.ts"/,
  );
  one(problems({ "protocol/a.ts": 'export { b } from "./gone.ts";\n' }), /there is no protocol\/gone\.ts/);
  one(problems({ "protocol/a.ts": "export default 1;\n" }), /default export/);
  one(problems({ "protocol/utils/a.ts": "export const a = 1;\n" }), /folder named "utils"/);
});

test("tidy: cycles of values are told, cycles of types are not", () => {
  const a = 'import { b } from "./b.ts";\nexport const a = () => b;\n';
  one(
    problems({ "protocol/a.ts": a, "protocol/b.ts": 'import { a } from "./a.ts";\nexport const b = () => a;\n' }),
    /import cycle: protocol\/a\.ts -> protocol\/b\.ts -> protocol\/a\.ts/,
  );
  assert.deepEqual(
    problems({
      "protocol/a.ts": a,
      "protocol/b.ts": 'import type { A } from "./a.ts";\nexport const b: A | number = 1;\n',
    }),
    [],
  );
});

test("tidy: files that nothing reaches are dead, files without a head are told", () => {
  one(check(new Map([["protocol/a.ts", HEAD]])), /protocol\/a\.ts:1 is dead/);
  one(check(new Map([["cli/main.ts", "export const a = 1;\n"]])), /doesn't open with/);
});

test("tidy: the reader of sources keeps its place through strings, comments and regular expressions", () => {
  const source = 'const a = "//"; // "x\nconst b = /["/]/; /* ` */ const c = `\\`${"}"}`;\nimport("./d.ts");\n';
  assert.equal(blank(source).length, source.length);
  assert.match(blank(source), /const c = ` +`;/);
  assert.deepEqual(imports(source).map(({ specifier, line }) => [specifier, line]), [["./d.ts", 3]]);
  assert.deepEqual(
    imports('import {\n  type A,\n} from "./a.ts";\nexport * from "./b.ts";\nimport type { C } from "c";\n').map((
      i,
    ) => [i.specifier, i.typeOnly]),
    [["./a.ts", false], ["./b.ts", false], ["c", true]],
  );
  const [method] = functions(
    "class A {\n  async #go(a: string): Promise<{ b: number }> {\n    return { b: 1 };\n  }\n}\n",
  );
  const several = functions(
    "export async function a(): Promise<void> {\n  await 1;\n}\n\nclass B {\n  b(c: () => { d: 1 }): { e: number } | undefined {\n    return c(1);\n  }\n  f?: number;\n}\ndeclare function g(): void;\n",
  );
  assert.deepEqual(several.map(({ name, lines }) => [name, lines]), [["a", 3], ["b", 3]]);
  assert.deepEqual([method!.name, method!.lines, method!.parameters], ["#go", 3, 1]);
});
