/**
 * keyVersion's watchman: the answers to thousands of URLs, texts and pages, made from fixed recipes, hash to KEY_GOLDENS.
 * When this fails and the change is meant, raise KEY_VERSION and set the values that are reported, together.
 */

import assert from "node:assert/strict";
import { KEY_GOLDENS, KEY_VERSION } from "../../core-wasm/key_version.ts";
import { loadCore } from "../../core-wasm/mod.ts";
import { fingerprintToHex } from "../../protocol/ids.ts";
import { goldenPages, goldenTexts } from "../support/golden_pages.ts";
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
  "0x7f.1",
  "[::ffff:1.2.3.4]:80",
  "a_b.example",
  "xn--zn7c.com",
  "☃.example",
  "city.kawasaki.jp",
  "blog.blogspot.com",
  "user@example.com",
  "EXAMPLE.com:443",
  "-a-.example",
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
  "/a/%2e%2E/b/%2e/",
  "/index.html;jsessionid=0123456789ABCDEF0123456789ABCDEF",
  "/日本語/%E6%97%A5",
  "\\a\\..\\b",
  "/c:/d|/e",
];
const QUERIES = [
  "",
  "?",
  "?b=2&a=1&a=0",
  "?utm_source=x&q=%7e&&",
  "?x='é'&%",
  "?PHPSESSID=0123456789abcdef0123456789abcdef&z",
  "?a&a=#frag",
  "?fbclid=x&gclid=y&id=3",
  "?a=%zz&b=%41&c=+%20",
  "?sid=abc&SESSIONID=9&z=1;y=2",
];
function answersToUrls(): string[] {
  const lines: string[] = [];
  for (const host of HOSTS) {
    for (const path of PATHS) {
      for (const query of QUERIES) {
        const facts = core.url(`${lines.length % 2 ? "https" : "http"}://${host}${path}${query}`);
        lines.push(
          "error" in facts
            ? "refused"
            : [facts.key, fingerprintToHex(facts.fingerprint), facts.surt, facts.domain, facts.slot].join(" "),
        );
      }
    }
  }
  return lines;
}

function answersToTexts(): string[] {
  const encoder = new TextEncoder();
  return goldenTexts().map((text) => fingerprintToHex(core.simhash(encoder.encode(text))));
}

function answersToPages(): string[] {
  return goldenPages().map(({ bytes, options }) => {
    const facts = core.scan(bytes, options);
    const links = facts.links.map(({ url, raw, kind, rel }) => [url, raw, kind, rel].join(" "));
    const { base, title, lang, charset, canonical = "", noindex, nofollow, textLength, truncated } = facts;
    const hashes = [fingerprintToHex(facts.simhash), fingerprintToHex(facts.textHash)];
    return [...links, base, title, lang, charset, canonical, noindex, nofollow, textLength, truncated, ...hashes].join(
      "\n",
    );
  });
}

test("answers change only together with keyVersion", () => {
  const answers = { urls: answersToUrls(), texts: answersToTexts(), pages: answersToPages() };
  const lengths = Object.values(answers).map((lines) => lines.length);
  assert.ok(lengths.every((length) => length >= 1000), `${lengths}`);
  // A recipe whose answers are all alike watches nothing.
  for (const [name, lines] of Object.entries(answers)) assert.ok(new Set(lines).size > lines.length / 2, name);
  const goldens = Object.fromEntries(
    Object.entries(answers).map(([name, lines]) =>
      [name, fingerprintToHex(core.xxh64(new TextEncoder().encode(lines.join("\n"))))] as const
    ),
  );
  assert.deepEqual({ version: KEY_VERSION, ...goldens }, { version: core.keyVersion, ...KEY_GOLDENS });
});
