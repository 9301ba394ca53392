/**
 * Linear time, shown by growth: four times the input takes about four times as long, for the worst that could be thought
 * of. What is quadratic takes sixteen times. The best of some runs counts, in CPU time, as machines are shared.
 */

import assert from "node:assert/strict";
import process from "node:process";
import { loadCore } from "../../core-wasm/mod.ts";
import { test } from "../support/test.ts";

const GROWTH = 4;
const MOST = 10;
const RUNS = 4;
/** Times shorter than this say nothing of growth. */
const LEAST_MS = 2;

const encoder = new TextEncoder();
const core = await loadCore();

const scan = (bytes: Uint8Array) =>
  void core.scan(bytes, {
    url: "http://page.example/",
    embeds: true,
    forms: true,
    anchorText: true,
    maxBytes: 10_000_000,
  });

/** `size` times what makes a page slow. */
const PAGES: Readonly<Record<string, (size: number) => string>> = {
  "deep nesting": (size) => "<div>".repeat(size),
  "deep nesting, closed": (size) => "<b>".repeat(size) + "</b>".repeat(size),
  "deep foreign nesting": (size) => "<svg><g>".repeat(size) + "</g></svg>".repeat(size),
  "foreign end tags that close nothing": (size) => `<svg>${"<g>".repeat(255)}${"</p ></q>".repeat(size)}`,
  "<<<<": (size) => "<".repeat(size * 4),
  "&&&&": (size) => "&".repeat(size * 4),
  "&amp without its end": (size) => "&amp&notin&CounterClockwiseContourIntegra".repeat(size),
  "attributes of one tag": (size) => `<a ${"b=c ".repeat(size)}>`,
  "attributes of one name": (size) => `<a ${"href=c ".repeat(size)}>`,
  "links": (size) => "<a href=x>".repeat(size),
  "links, each to another page": (size) => Array.from({ length: size }, (_, i) => `<a href=${i}>`).join(""),
  "links to one page, each with another fragment": (size) =>
    Array.from({ length: size }, (_, i) => `<a href=#${i}>`).join(""),
  "candidates of a srcset": (size) => `<img srcset="${"a 1x (,".repeat(size)}">`.slice(0, 65_000 * 4),
  "comments that don't end": (size) => "<!--".repeat(size),
  "scripts in scripts": (size) => "<script><!--<script>".repeat(size),
  "titles": (size) => "<title>".repeat(size),
  "end tags that look alike": (size) => `<textarea>${"</textare".repeat(size)}`,
  "CDATA that doesn't end": (size) => `<svg><![CDATA[${"]]".repeat(size)}`,
  "templates": (size) => "<template>".repeat(size) + "</template>".repeat(size),
  "white space": (size) => " \n\u00a0".repeat(size),
  "one word": (size) => "w".repeat(size * 4),
  "words of one letter": (size) => "w ".repeat(size * 2),
};

const URLS: Readonly<Record<string, (size: number) => string>> = {
  "dot segments": (size) => `foo:/${"a/../".repeat(size)}`,
  "slashes": (size) => `foo:${"/".repeat(size)}`,
  "newlines": (size) => `foo:/${"a\n".repeat(size)}`,
  "escapes of escapes": (size) => `foo:/%${"25".repeat(size)}`,
  "at signs": (size) => `foo://${"@".repeat(size)}`,
  "colons": (size) => `foo://${":".repeat(size)}`,
  "spaces at the end of an opaque path": (size) => `foo:a${" ".repeat(size)}#`,
  "letters that are escaped": (size) => `foo:/${"\u00e9".repeat(size)}`,
};

/** CPU time of this process: what others do on the machine doesn't count. */
const cpuMs = () => process.cpuUsage().user / 1000;

function bestMs(work: () => void): number {
  let best = Infinity;
  for (let i = 0; i < RUNS; i++) {
    const startedAt = cpuMs();
    work();
    best = Math.min(best, cpuMs() - startedAt);
  }
  return best;
}

function checkGrowth(name: string, size: number, workFor: (size: number) => () => void): void {
  const small = workFor(size);
  const large = workFor(size * GROWTH);
  const ratio = () => bestMs(large) / Math.max(LEAST_MS, bestMs(small));
  if (ratio() <= MOST) return;
  // A machine that paused in every one of the runs won't do so again.
  const again = ratio();
  assert.ok(again <= MOST, `${name}: ${GROWTH} times the input took ${again.toFixed(1)} times as long`);
}

test("the scan takes linear time for the worst pages", () => {
  for (const [name, page] of Object.entries(PAGES)) {
    checkGrowth(name, 50_000, (size) => {
      const bytes = encoder.encode(page(size));
      return () => scan(bytes);
    });
  }
}, { timeoutMs: 120_000 });

test("a million links, and a million attributes, take no more than seconds", () => {
  for (const name of ["links, each to another page", "attributes of one tag"]) {
    const bytes = encoder.encode(PAGES[name]!(1_000_000)).subarray(0, 10_000_000);
    assert.ok(bestMs(() => scan(bytes)) < 5_000, name);
  }
});

test("parsing takes linear time for the worst URLs", () => {
  for (const [name, url] of Object.entries(URLS)) {
    checkGrowth(name, 100_000, (size) => {
      const input = url(size);
      return () => void core.url(input);
    });
  }
}, { timeoutMs: 120_000 });

test("a batch takes linear time for the worst http URLs", () => {
  const bodies = [
    "?" + "&".repeat(2000),
    "?" + "b&a&".repeat(500),
    "/%".repeat(1000),
    "/a/..".repeat(400),
    "?utm_=".repeat(300),
  ];
  for (const body of bodies) {
    checkGrowth(body.slice(0, 8), 200, (size) => {
      const inputs = Array.from({ length: size }, () => `http://e.org/${body}`);
      return () => void core.urls(inputs);
    });
  }
}, { timeoutMs: 120_000 });
