/**
 * Holds a set of source files against the table. Pure: paths and texts in, sentences out.
 */

import { dirname, join } from "node:path/posix";
import { blank, functions, imports } from "./source.ts";
import * as table from "./table.ts";

export type Sources = ReadonlyMap<string, string>;

/** One sentence per broken rule, each beginning with `path:line`. Paths are relative to the project, `/`-separated. */
export function check(sources: Sources): string[] {
  const mine = new Map([...sources].filter(([path]) => !table.SKIPPED.some((rule) => rule.test(path))));
  const problems = [...mine].flatMap(([path, text]) => checkFile(path, text, sources));
  return [...problems, ...cycles(mine), ...dead(mine), ...median(mine)].sort();
}

function checkFile(path: string, text: string, sources: Sources): string[] {
  return [
    ...folders(path),
    ...sizes(path, text),
    ...importRules(path, text, sources),
    ...names(path, text),
    ...form(path, text),
  ];
}

function folders(path: string): string[] {
  const bad = dirname(path).split("/").find((folder) => table.BANNED_FOLDERS.includes(folder));
  return bad === undefined
    ? []
    : [`${path}:1 lies in a folder named "${bad}", which says nothing; name it after what it holds.`];
}

function sizes(path: string, text: string): string[] {
  const lines = text.split("\n").length - 1;
  const problems: string[] = [];
  if (lines > table.FILE_LINES && !table.LONG_DATA.some((rule) => rule.test(path))) {
    problems.push(`${path}:1 has ${lines} lines; a file holds one idea in at most ${table.FILE_LINES}.`);
  }
  if (isTest(path)) return problems;
  for (const span of functions(text)) {
    if (span.lines > table.FUNCTION_LINES) {
      problems.push(
        `${path}:${span.line} ${span.name} has ${span.lines} lines; a function fits on a screen of ${table.FUNCTION_LINES}.`,
      );
    }
    if (span.parameters > 4) {
      problems.push(`${path}:${span.line} ${span.name} takes ${span.parameters} parameters; pass an object beyond 4.`);
    }
  }
  return problems;
}

function isTest(path: string): boolean {
  return path.endsWith("_test.ts") || path.startsWith("tests/");
}

function roomOf(path: string): table.Room | undefined {
  return table.ROOMS.find((room) => path.startsWith(room.path));
}

function importRules(path: string, text: string, sources: Sources): string[] {
  const room = roomOf(path);
  if (!room) return [`${path}:1 stands outside every room of tools/tidy/table.ts; add the room or move the file.`];
  return imports(text).flatMap(({ specifier, line }) => {
    const at = `${path}:${line} imports "${specifier}"`;
    if (table.NEVER.includes(specifier)) return [`${at}, which is a shim on Bun; fetch with edge/http.`];
    if (!specifier.startsWith(".")) return packageRule(path, room, specifier).map((why) => `${at}, ${why}`);
    const target = join(dirname(path), specifier);
    if (!/\.(ts|json|js|wasm)$/.test(specifier)) return [`${at} without ".ts"; name the file in full.`];
    if (!sources.has(target) && !table.SKIPPED.some((rule) => rule.test(target)) && target.endsWith(".ts")) {
      return [`${at}, but there is no ${target}.`];
    }
    const allowed = [room.path, ...room.mayImport, ...(isTest(path) ? table.TESTS_MAY_ALSO_IMPORT : [])];
    if (allowed.some((prefix) => target.startsWith(prefix))) return [];
    if (isTest(path) && sameHalf(path, target)) return [];
    return [`${at}, but ${room.path} may import only ${allowed.join(", ")}.`];
  });
}

/** A test beside its file may use its own plane's other rooms. */
function sameHalf(path: string, target: string): boolean {
  return path.split("/")[0] === target.split("/")[0];
}

function packageRule(path: string, room: table.Room, specifier: string): string[] {
  const only = table.ONLY_IN[specifier];
  if (only !== undefined && only !== path) return [`but only ${only} may.`];
  if (isTest(path) || room.packages.includes("*")) return [];
  const allowed = room.packages.some((name) =>
    name.endsWith(":") ? specifier.startsWith(name) : specifier === name || specifier.startsWith(`${name}/`)
  );
  return allowed ? [] : [`but ${room.path} may use only these packages: ${room.packages.join(", ") || "none"}.`];
}

function names(path: string, text: string): string[] {
  if (isTest(path)) return [];
  const room = roomOf(path);
  const runtimeOk = table.RUNTIME_ROOMS.some((prefix) => path.startsWith(prefix));
  const rules = room?.pure ? table.BANNED_IN_PURE : runtimeOk ? [] : [/\bDeno\b/, /\bBun\b/];
  const lines = rules.length === 0 ? [] : blank(text).split("\n");
  return lines.flatMap((line, index) =>
    rules.filter((rule) => rule.test(line)).map((rule) =>
      `${path}:${index + 1} names ${rule.exec(line)![0]}; take it as an argument (a port of runtime/ports.ts).`
    )
  );
}

function form(path: string, text: string): string[] {
  const problems: string[] = [];
  if (/^\s*export default\b/m.test(blank(text))) problems.push(`${path}:1 has a default export; export it by name.`);
  if (!isTest(path) && !/^(#!.*\n)?\s*\/\*\*/.test(text)) {
    problems.push(`${path}:1 doesn't open with a /** comment */ that says what the file is responsible for.`);
  }
  return problems;
}

function graph(sources: Sources, withTypes: boolean): Map<string, string[]> {
  const edges = new Map<string, string[]>();
  for (const [path, text] of sources) {
    const targets = imports(text).filter(({ specifier, typeOnly }) =>
      specifier.startsWith(".") && (withTypes || !typeOnly)
    );
    edges.set(
      path,
      targets.map(({ specifier }) => join(dirname(path), specifier)).filter((target) => sources.has(target)),
    );
  }
  return edges;
}

/** Cycles among imports of values; types alone don't load anything. */
function cycles(sources: Sources): string[] {
  const edges = graph(sources, false);
  const state = new Map<string, "open" | "done">();
  const problems: string[] = [];
  const visit = (path: string, trail: string[]) => {
    if (state.get(path) === "done") return;
    if (state.get(path) === "open") {
      problems.push(
        `${path}:1 is part of an import cycle: ${[...trail.slice(trail.indexOf(path)), path].join(" -> ")}.`,
      );
      return;
    }
    state.set(path, "open");
    for (const target of edges.get(path) ?? []) visit(target, [...trail, path]);
    state.set(path, "done");
  };
  for (const path of edges.keys()) visit(path, []);
  return problems;
}

function dead(sources: Sources): string[] {
  const edges = graph(sources, true);
  const reached = new Set<string>();
  const queue = [...sources.keys()].filter((path) => table.ROOTS.some((root) => root.test(path)));
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    queue.push(...(edges.get(path) ?? []));
  }
  return [...sources.keys()].filter((path) => !reached.has(path)).map((path) =>
    `${path}:1 is dead: no entry point or test imports it.`
  );
}

function median(sources: Sources): string[] {
  const lines = [...sources].filter(([path]) => !isTest(path)).map(([, text]) => text.split("\n").length - 1).sort((
    a,
    b,
  ) => a - b);
  const middle = lines[lines.length >> 1] ?? 0;
  return middle <= table.MEDIAN_LINES
    ? []
    : [`tools/tidy/table.ts:1 the median file has ${middle} lines; at most ${table.MEDIAN_LINES} is wanted.`];
}
