/**
 * URL normalisation: the core against the platform's URL class with string operations that give the same keys.
 * Invariant: both sides give the same keys for every input, or the benchmark stops.
 */

import type { Core } from "../core-wasm/core.ts";
import type { CoreRow } from "./report/core_row.ts";
import { measure } from "./interleaved.ts";

const BATCHES = 64;
const BATCH = 200;

/** A linear congruential generator: the same URLs in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const WORDS = [
  "news",
  "Products",
  "2026",
  "index.html",
  "a-long-article-title-of-some-words",
  "item",
  "%7euser",
  "wiki",
  "q",
  "Ünder",
];
const QUERIES = [
  "",
  "",
  "",
  "",
  "?id=12345",
  "?page=2&id=7",
  "?utm_source=feed&utm_medium=rss&id=9",
  "?z=1&a=%c3%a9&m=x+y",
  "?",
];

function makeBatch(seed: number): string[] {
  const below = numbers(seed);
  const pick = (values: readonly string[]) => values[below(values.length)]!;
  return Array.from({ length: BATCH }, () => {
    const host = `${pick(["http", "https"])}://${pick(["www.", "", "shop."])}example${below(500)}.${
      pick(["com", "org", "co.uk"])
    }`;
    const path = Array.from({ length: 1 + below(4) }, () => pick(WORDS)).join("/");
    const beyondAscii = seed % 4 === 0 && below(20) === 0 ? "Übersicht/" : "";
    return `${host}/${beyondAscii}${path}${pick(QUERIES)}${below(8) === 0 ? "#part" : ""}`;
  });
}

/** BATCHES of BATCH URLs each. */
export function madeBatches(): string[][] {
  return Array.from({ length: BATCHES }, (_, seed) => makeBatch(seed + 1));
}

const TRACKING = /^(utm_|pk_|piwik_|mtm_|hsa_)./i;
const UNRESERVED = /%(?:[46][1-9a-f]|[57][0-9a]|3[0-9]|2[de]|5f|7e)/gi;

function normalizeEscapes(text: string): string {
  if (!text.includes("%")) return text;
  return text
    .replace(UNRESERVED, (escape) => String.fromCharCode(parseInt(escape.slice(1), 16)))
    .replace(/%(?![0-9a-f]{2})/gi, "%25")
    .replace(/%[0-9a-f]{2}/gi, (escape) => escape.toUpperCase());
}

function normalizeQuery(query: string): string {
  if (query.length < 2) return "";
  const parameters = query.slice(1).split("&").map(normalizeEscapes)
    .filter((parameter) => parameter !== "" && !TRACKING.test(parameter));
  if (parameters.length > 1) {
    const split = parameters.map((parameter) => {
      const cut = parameter.indexOf("=");
      return cut < 0 ? [parameter, "", parameter] : [parameter.slice(0, cut), parameter.slice(cut + 1), parameter];
    });
    split.sort((a, b) => a[0]! < b[0]! ? -1 : a[0]! > b[0]! ? 1 : a[1]! < b[1]! ? -1 : a[1]! > b[1]! ? 1 : 0);
    return `?${split.map((parameter) => parameter[2]).join("&")}`;
  }
  return parameters.length === 1 ? `?${parameters[0]}` : "";
}

export function keyByPlatform(input: string): string {
  const url = new URL(input);
  return `${url.protocol}//${url.host}${normalizeEscapes(url.pathname)}${normalizeQuery(url.search)}`;
}

/** 2 x 32 bits over UTF-16 units: weaker than XXH64 and as fast as JS can be, so this side is favoured. */
export function hashByPlatform(text: string): number {
  let a = 0x9e3779b9 | 0;
  let b = 0x85ebca6b | 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x9fb21c65);
    b = Math.imul(b ^ unit, 0x1e98df25);
  }
  return a ^ (b >>> 7);
}

function checkAgreement(core: Core, batches: readonly string[][]): void {
  for (const inputs of batches) {
    const batch = core.urls(inputs);
    for (const [i, input] of inputs.entries()) {
      const [wanted, got] = [keyByPlatform(input), batch.key(i)];
      if (wanted !== got) throw new Error(`Comparing keys of ${input} found ${wanted} by JS and ${got} by the core.`);
    }
  }
}

/** One URL at a time, by both doors: what batches are there to avoid. */
function benchSingle(core: Core, batches: readonly string[][]): CoreRow[] {
  const inputs = batches.flat();
  const single = (input: string) => {
    const facts = core.url(input);
    return "error" in facts ? 0 : facts.key.length;
  };
  return measure({
    name: "one URL to its key",
    opsPerCall: 1,
    candidates: {
      "JS: URL class": (turn) => keyByPlatform(inputs[turn % inputs.length]!).length,
      "WASM: batch of one": (turn) => core.urls([inputs[turn % inputs.length]!]).key(0).length,
      "WASM: typed door, all facts": (turn) => single(inputs[turn % inputs.length]!),
    },
  });
}

/** Rows for keys alone and for fingerprints, in batches of 200, of 8, and one by one. */
export function benchUrl(core: Core): CoreRow[] {
  const batches = madeBatches();
  checkAgreement(core, batches);
  const small = batches.map((batch) => batch.slice(0, 8));
  const keysByCore = (inputs: readonly string[]) => {
    const batch = core.urls(inputs);
    let length = 0;
    for (let i = 0; i < batch.length; i++) length += batch.key(i).length;
    return length;
  };
  const task = (
    name: string,
    of: readonly string[][],
    js: (input: string) => number,
    wasm: (inputs: string[]) => number,
  ) =>
    measure({
      name,
      opsPerCall: of[0]!.length,
      candidates: {
        "JS: URL class": (turn) => of[turn % BATCHES]!.reduce((sum, input) => sum + js(input), 0),
        "WASM": (turn) => wasm(of[turn % BATCHES]!),
      },
    });
  const length = (input: string) => keyByPlatform(input).length;
  const hash = (input: string) => hashByPlatform(keyByPlatform(input)) & 1;
  const fingerprints = (inputs: string[]) => Number(core.urls(inputs).fingerprints[0]! & 1n);
  return [
    ...task("URLs to keys, batch of 200", batches, length, keysByCore),
    ...task("URLs to keys, batch of 8", small, length, keysByCore),
    ...task("URLs to fingerprints, batch of 200", batches, hash, fingerprints),
    ...benchSingle(core, batches),
  ];
}
