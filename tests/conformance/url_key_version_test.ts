/**
 * keyVersion's watchman: the answers to some hundred URLs, made from a fixed recipe, hash to KEY_GOLDEN. When this fails
 * and the change is meant, raise KEY_VERSION and set KEY_GOLDEN to the value that is reported, together.
 */

import assert from "node:assert/strict";
import { KEY_GOLDEN, KEY_VERSION } from "../../core-wasm/key_version.ts";
import { loadCore } from "../../core-wasm/mod.ts";
import { fingerprintToHex } from "../../protocol/ids.ts";
import { test } from "../support/test.ts";

const core = await loadCore();

const HOSTS = [
  "example.com",
  "WWW.Example.co.UK",
  "xn--bcher-kva.example",
  "bücher.example",
  "faß.de",
  "a.b.github.io",
  "localhost",
  "127.1",
  "[2001:DB8::1]",
  "пример.испытание",
  "例え.テスト",
  "日本語。jp",
  "x.y.z.kobe.jp",
  "example.com.",
  "www2.e.org:8080",
];
const PATHS = [
  "",
  "/",
  "/a/../b/./c",
  "/%7euser/%c3%a9",
  "/é/ü?",
  "/a%2Fb%",
  "//double//",
  '/a b"<>`{}|^',
  "/p;x=1/(s(4hqa0555fwsecu455xqckv45))/f.aspx",
];
const QUERIES = [
  "",
  "?",
  "?b=2&a=1&a=0",
  "?utm_source=x&q=%7e&&",
  "?x='é'&%",
  "?PHPSESSID=0123456789abcdef0123456789abcdef&z",
  "?a&a=#frag",
];
const TEXTS = [
  "",
  "one",
  "The quick brown fox jumps over the lazy dog.",
  "Ein Überblick über Überläufer und überhaupt: 12 × 12 = 144",
];

function answers(): string[] {
  const lines: string[] = [];
  let schemes = 0;
  for (const host of HOSTS) {
    for (const path of PATHS) {
      for (const query of QUERIES) {
        const facts = core.url(`${schemes++ % 2 ? "https" : "http"}://${host}${path}${query}`);
        if ("error" in facts) lines.push("refused");
        else {lines.push(
            [facts.key, fingerprintToHex(facts.fingerprint), facts.surt, facts.domain, facts.slot].join(" "),
          );}
      }
    }
  }
  const encoder = new TextEncoder();
  return [...lines, ...TEXTS.map((text) => fingerprintToHex(core.simhash(encoder.encode(text))))];
}

test("answers change only together with keyVersion", () => {
  const lines = answers();
  assert.ok(lines.length > 900);
  const golden = fingerprintToHex(core.xxh64(new TextEncoder().encode(lines.join("\n"))));
  assert.equal(`${KEY_VERSION} ${golden}`, `${core.keyVersion} ${KEY_GOLDEN}`);
});
