/**
 * The core's tokenizer against html5lib's tests. What isn't compared: parse errors, and the parts of a doctype (the
 * scan reports nothing of either).
 */

import assert from "node:assert/strict";
import { CoreSlot } from "../../core-wasm/instance.ts";
import { loadArtefact } from "../../core-wasm/load.ts";
import { CORPORA_ABSENT, corpusLines } from "../support/corpora.ts";
import { STATES, type Token, tokensOf } from "../support/html_tokens.ts";
import { test } from "../support/test.ts";

/** html5lib's files that aren't compared, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "xmlViolation.test":
    "asks for characters to be changed so that they fit into XML 1.0, which isn't part of the standard",
};

interface Case {
  readonly file: string;
  readonly description: string;
  readonly input: string;
  readonly output: readonly (readonly [string, ...unknown[]])[];
  readonly initialStates?: readonly string[];
  readonly lastStartTag?: string;
  readonly doubleEscaped?: boolean;
}

function unescape(text: string): string {
  return text.replace(/\\u([0-9a-fA-F]{4})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
}

/** The expected tokens without doctype parts, neighbouring characters joined. */
function wanted(output: Case["output"]): Token[] {
  const tokens: Token[] = [];
  for (const token of output) {
    const before = tokens.at(-1);
    if (token[0] === "DOCTYPE") tokens.push(["DOCTYPE"]);
    else if (token[0] === "Character" && before?.[0] === "Character") {
      tokens[tokens.length - 1] = ["Character", before[1] + String(token[1])];
    } else tokens.push(token as unknown as Token);
  }
  return tokens;
}

test("html5lib tokenizer tests: every token", async () => {
  const { module, instantiate } = await loadArtefact();
  const raw = new CoreSlot(module, instantiate).fresh();
  let compared = 0;
  const failures: string[] = [];
  for (const source of corpusLines<Case>("5-html/html5lib-tokenizer.open.jsonl")) {
    if (Object.hasOwn(LEFT_OUT, source.file)) continue;
    const html = source.doubleEscaped ? unescape(source.input) : source.input;
    const output = source.doubleEscaped
      ? JSON.parse(unescape(JSON.stringify(source.output).replaceAll("\\\\u", "\\u"))) as Case["output"]
      : source.output;
    // Lone surrogates can't be written in UTF-8.
    if (!html.isWellFormed()) continue;
    for (const state of source.initialStates ?? ["Data state"]) {
      compared++;
      const tokens = tokensOf(raw, html, { state: STATES[state]!, lastTag: source.lastStartTag ?? "" });
      const found = JSON.stringify(tokens);
      const right = JSON.stringify(wanted(output));
      if (found !== right) {
        failures.push(`${source.description} [${state}] ${JSON.stringify(html)}: found ${found}, wanted ${right}`);
      }
    }
  }
  assert.deepEqual(failures.slice(0, 20), [], `${failures.length} of ${compared} differ`);
  assert.ok(compared > 3000, `only ${compared} were compared`);
}, { skip: CORPORA_ABSENT });
