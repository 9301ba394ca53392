/** What TypeScript, AssemblyScript and WIT each say of the same numbers must be one thing. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "../tests/support/test.ts";
import { componentName } from "./export_names.ts";
import { loadArtefact } from "./load.ts";
import { DEFAULT_PROFILE, rulesOf } from "./normalize_profile.ts";
import type { NormalizeRule } from "./normalize_profile.ts";
import { loadCore } from "./mod.ts";
import { caseOfCode, urlErrorSentence } from "./url_error.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

test("url-error has the same cases in the same order everywhere", () => {
  const wit = /enum url-error \{([^}]*)\}/.exec(read("wit/core.wit"))![1]!.split(",").map((name) => name.trim());
  const codes = [...read("assembly/url/error.ts").matchAll(/E_\w+: i32 = (-\d+)/g)].map(([, code]) => Number(code));
  const cases = wit.filter((name) => name !== "");
  assert.deepEqual(codes.map(caseOfCode), cases);
  assert.ok(cases.length > 10);
});

test("every refusal is a sentence that names the URL", () => {
  for (let code = -1; code >= -15; code--) {
    const sentence = urlErrorSentence("x".repeat(5000), caseOfCode(code), 2048);
    assert.ok(/^Parsing the URL "x+\.\.\." failed: .*\.$/.test(sentence) && sentence.length < 300, sentence);
  }
});

test("the profile's bits are those of the core", () => {
  const bits = new Map(
    [...read("assembly/url/profile.ts").matchAll(/export const ([A-Z_]+): u32 = (\d+);/g)]
      .map(([, name, bit]) => [name!, Number(bit)]),
  );
  for (const name of Object.keys(DEFAULT_PROFILE) as NormalizeRule[]) {
    const off = Object.fromEntries(Object.keys(DEFAULT_PROFILE).map((key) => [key, key === name]));
    const constant = name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
    assert.equal(rulesOf(off as typeof DEFAULT_PROFILE), bits.get(constant), name);
  }
});

test("a rule that is switched off is off", async () => {
  const url = "http://u:p@e.org/%70%c3%?b=1&&a=%7e&utm_source=x#f";
  const plain = await loadCore({
    profile: Object.fromEntries(Object.keys(DEFAULT_PROFILE).map((rule) => [rule, false])),
  });
  const facts = plain.url(url);
  assert.equal("error" in facts ? "" : facts.key, url);
  const sorted = await loadCore({ profile: { sortQuery: false, stripTracking: false } });
  const other = sorted.url("http://e.org/?b=1&a=2&utm_source=x");
  assert.equal("error" in other ? "" : other.key, "http://e.org/?b=1&a=2&utm_source=x");
});

test("the core imports nothing", async () => {
  const { module } = await loadArtefact();
  assert.deepEqual(WebAssembly.Module.imports(module), []);
});

test("exports get their component names", () => {
  assert.equal(componentName("urls_resolveAll", "outrider:core@0.1.0"), "outrider:core/urls@0.1.0#resolve-all");
  for (const kept of ["memory", "cabi_realloc", "raw_urls"]) assert.equal(componentName(kept, "a:b@1"), kept);
  assert.throws(() => componentName("stray", "a:b@1"), /wanted raw_\* or/);
});
