/**
 * keyVersion's second watchman: the data that keys are made by, of which the recipes of key_version_test.ts meet a part
 * only. When this fails and the change is meant, raise KEY_VERSION and set the values that are reported, together.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { KEY_DATA } from "../../core-wasm/key_version.ts";
import { loadCore } from "../../core-wasm/mod.ts";
import { fingerprintToHex } from "../../protocol/ids.ts";
import { test } from "../support/test.ts";

const core = await loadCore();
const BATCH = 4096;

function textOf(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
}

function hashOf(lines: readonly string[]): string {
  return fingerprintToHex(core.xxh64(new TextEncoder().encode(lines.join("\n"))));
}

/** The names as the source has them, whichever way they are divided into strings. */
function trackingNames(): string[] {
  const source = textOf("core-wasm/assembly/url/tracking_parameters.ts");
  const list = /const NAMES: string = ((?:"[^"]*"[\s+]*)+);/.exec(source)?.[1] ?? "";
  return list.replace(/"\s*\+\s*"/g, "").replaceAll('"', "").trim().split(" ");
}

/** Planes 0 to 3 as far as they are used, and the tags and variation selectors of plane 14. */
function* characters(): Generator<string> {
  for (let code = 0x80; code < 0x32400; code++) if (code < 0xd800 || code > 0xdfff) yield String.fromCodePoint(code);
  for (let code = 0xe0000; code < 0xe0200; code++) yield String.fromCodePoint(code);
}

/** What each character is mapped to, where it is allowed; behind a letter, as marks may not begin a label. */
function hosts(): string[] {
  const inputs = Array.from(characters(), (character) => `http://e${character}/`);
  const answers: string[] = [];
  for (let from = 0; from < inputs.length; from += BATCH) {
    const batch = core.urls(inputs.slice(from, from + BATCH));
    for (let i = 0; i < batch.length; i++) answers.push(batch.host(i));
  }
  return answers;
}

test("the lists and tables behind keys change only together with keyVersion", () => {
  const names = trackingNames();
  const allowed = hosts();
  const { dependencies } = JSON.parse(textOf("package.json")) as { dependencies: Record<string, string> };
  // Lists that weren't found would be watched in vain.
  assert.ok(names.length > 40 && names.includes("ysclid") && names.includes("utm_*"), `${names.length} names`);
  assert.ok(new Set(allowed).size > 100_000, "hosts");
  assert.deepEqual(
    { tracking: hashOf(names), hosts: hashOf(allowed), suffixes: `tldts ${dependencies.tldts}` },
    KEY_DATA,
  );
});
