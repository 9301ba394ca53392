/**
 * The core by itself: each example runs on its runtime and ends with the hash that this runtime finds, and the typed
 * entry has no dependency that a user would have to know of.
 */

import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { loadCore } from "outrider/core";
import { coreAnswers } from "../../examples/core_answers.js";
import { BROWSER_ABSENT, openPage } from "../support/browser.ts";
import { RUNTIME, test } from "../support/test.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const { hash, lines } = coreAnswers(await loadCore());

const NODE_ABSENT =
  Number(/^v(\d+)/.exec(spawnSync("node", ["--version"], { encoding: "utf8" }).stdout ?? "")?.[1]) >= 20
    ? undefined
    : "Node 20 or later isn't installed";

function run(command: string, args: readonly string[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd: ROOT, timeout: 50_000 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`Running ${command} ${args.join(" ")} failed: ${error.message}\n${stderr}`));
      else resolve(stdout.trim().split("\n"));
    });
  });
}

test(`the example for ${RUNTIME}, which asks for no more than to read files`, async () => {
  const args = RUNTIME === "deno" ? ["run", "--allow-read", "examples/core_deno.ts"] : ["examples/core_bun.ts"];
  assert.deepEqual(await run(process.execPath, args), [...lines, hash]);
});

test("the example for Node, from plain JS", async () => {
  assert.deepEqual(await run("node", ["examples/core_node.mjs"]), [...lines, hash]);
}, { skip: NODE_ABSENT });

test("the example for browsers, in headless Chromium", async () => {
  const answers = async () => {
    const dom = await openPage("examples/core_browser.html");
    return /<pre id="answers">([^<]*)<\/pre>/.exec(dom)?.[1] ?? dom;
  };
  // On a busy machine the browser's virtual time may run out before the module is there: the page is opened anew.
  let text = "loading";
  for (let tries = 0; tries < 3 && text === "loading"; tries++) text = await answers();
  assert.equal(text.trim().split("\n").at(-1), hash);
}, { skip: BROWSER_ABSENT, timeoutMs: 200_000 });

test("the bundle imports nothing but node:fs, and that only when it is asked to", () => {
  const bundle = readFileSync(new URL("../../core-wasm/build/mod.js", import.meta.url), "utf8");
  assert.deepEqual(bundle.match(/^\s*import\b.*$/gm)?.map((line) => line.trim()) ?? [], ["import(GLUE.href)"]);
  const asked = [...bundle.matchAll(/import\("([^"]*)"\)/g)].map((match) => match[1]);
  assert.deepEqual(asked, ["node:fs/promises"]);
});
