/**
 * Just enough of TypeScript's grammar for the rules: imports, code without comments and strings, function lengths.
 * Invariant: positions and line breaks of the stripped code are those of the source.
 */

export interface Import {
  readonly specifier: string;
  readonly line: number;
  readonly typeOnly: boolean;
}

const IMPORT =
  /(?:^|\n)[ \t]*(?:import|export)\b([^;"'`]*?)\bfrom[ \t]*["']([^"'\n]+)["']|(?:^|\n)[ \t]*import[ \t]+["']([^"'\n]+)["']|\bimport\([ \t]*["']([^"'\n]+)["']/g;

/** Every static, re-exporting and literal dynamic import. */
export function imports(source: string): Import[] {
  const code = blank(source, false);
  const found: Import[] = [];
  for (const match of code.matchAll(IMPORT)) {
    const specifier = match[2] ?? match[3] ?? match[4]!;
    const line = code.slice(0, match.index + match[0].length).split("\n").length;
    found.push({ specifier, line, typeOnly: /^\s*type\b/.test(match[1] ?? "") });
  }
  return found;
}

/** The code with comments, and on request the insides of strings, made blank. */
export function blank(source: string, strings = true): string {
  const out = source.split("");
  const wipe = (from: number, to: number) => {
    for (let i = from; i < to; i++) if (out[i] !== "\n") out[i] = " ";
  };
  let at = 0;
  while (at < source.length) {
    const end = literalEnd(source, at);
    if (end === at) {
      at++;
      continue;
    }
    const comment = source[at] === "/" && (source[at + 1] === "/" || source[at + 1] === "*");
    if (comment) wipe(at, end);
    else if (strings) wipe(at + 1, end - 1);
    at = end;
  }
  return out.join("");
}

/** The end of the comment, string or regular expression that begins at `at`; `at` itself when none does. */
function literalEnd(source: string, at: number): number {
  const char = source[at]!;
  if (char === '"' || char === "'" || char === "`") return quotedEnd(source, at, char);
  if (char !== "/") return at;
  if (source[at + 1] === "/") return indexOr(source, "\n", at);
  if (source[at + 1] === "*") return Math.min(source.length, indexOr(source, "*/", at + 2) + 2);
  return /[=(,:;!&|?{}[\n+]\s*$|\breturn\s*$/.test(source.slice(Math.max(0, at - 20), at)) ? regexEnd(source, at) : at;
}

function indexOr(source: string, text: string, from: number): number {
  const index = source.indexOf(text, from);
  return index < 0 ? source.length : index;
}

/** Template literals end at their last backtick; what stands in `${}` counts as part of them. */
function quotedEnd(source: string, at: number, quote: string): number {
  let i = at + 1;
  let depth = 0;
  for (; i < source.length; i++) {
    if (source[i] === "\\") i++;
    else if (quote === "`" && source[i] === "$" && source[i + 1] === "{") depth++;
    else if (depth > 0 && source[i] === "}") depth--;
    else if (source[i] === quote && depth === 0) return i + 1;
    else if (quote !== "`" && source[i] === "\n") return i;
  }
  return source.length;
}

function regexEnd(source: string, at: number): number {
  let inClass = false;
  for (let i = at + 1; i < source.length && source[i] !== "\n"; i++) {
    if (source[i] === "\\") i++;
    else if (source[i] === "[") inClass = true;
    else if (source[i] === "]") inClass = false;
    else if (source[i] === "/" && !inClass) return i + 1;
  }
  return at;
}

export interface FunctionSpan {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
  readonly parameters: number;
}

const FUNCTION =
  /(?:\bfunction\*?[ \t]+(\w+)|(?:^|\n)[ \t]+(?:(?:public|private|protected|static|async|override|get|set|\*)[ \t]+)*(#?\w+))[ \t]*(?:<[^>(]*>)?\(/g;
const NOT_A_METHOD = new Set([
  "if",
  "for",
  "while",
  "switch",
  "catch",
  "return",
  "await",
  "function",
  "new",
  "super",
  "typeof",
  "throw",
  "import",
]);

/** Named functions and methods with a body. */
export function functions(source: string): FunctionSpan[] {
  const code = blank(source);
  const spans: FunctionSpan[] = [];
  for (const match of code.matchAll(FUNCTION)) {
    const name = match[1] ?? match[2]!;
    if (NOT_A_METHOD.has(name)) continue;
    const open = match.index + match[0].length - 1;
    const close = matching(code, open);
    const start = bodyStart(code, close + 1);
    if (start === undefined) continue;
    const end = matching(code, start);
    const line = code.slice(0, open).split("\n").length;
    spans.push({
      name,
      line,
      lines: code.slice(open, end).split("\n").length,
      parameters: countParameters(code.slice(open + 1, close)),
    });
  }
  return spans;
}

/** The `{` of the body behind a parameter list that ends before `at`; undefined for signatures, calls and the like. */
function bodyStart(code: string, at: number): number | undefined {
  let before = "";
  for (let i = at; i < code.length; i++) {
    const char = code[i]!;
    if (/\s/.test(char)) continue;
    if (before === "" && char !== ":" && char !== "{") return undefined;
    if (char === "{" && !/[:|&<,]/.test(before) && before !== "=>") return i;
    if (char === "{" || char === "(" || char === "[") i = matching(code, i);
    else if (char === ";" || char === "=" && code[i + 1] !== ">") return undefined;
    before = char === ">" && before === "=" ? "=>" : char;
  }
  return undefined;
}

/** The position of the bracket that closes the one at `open`. */
function matching(code: string, open: number): number {
  let depth = 0;
  for (let i = open; i < code.length; i++) {
    if ("([{".includes(code[i]!)) depth++;
    else if (")]}".includes(code[i]!) && --depth === 0) return i;
  }
  return code.length;
}

function countParameters(list: string): number {
  let depth = 0;
  let count = list.trim() === "" ? 0 : 1;
  const text = list.trim().replace(/,$/, "").replaceAll("=>", "  ");
  for (const char of text) {
    if ("([{<".includes(char)) depth++;
    else if (")]}>".includes(char)) depth--;
    else if (char === "," && depth === 0) count++;
  }
  return count;
}
