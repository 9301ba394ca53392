/**
 * Links of pages against the extraction tests of five crawlers. They disagree with each other and with browsers; each
 * difference is listed with its reason, and one that isn't listed, or no longer occurs, fails.
 */

import assert from "node:assert/strict";
import { loadCore } from "../../core-wasm/mod.ts";
import { CORPORA_ABSENT, corpusLines } from "../support/corpora.ts";
import { test } from "../support/test.ts";

interface Case {
  readonly source: string;
  readonly test: string;
  readonly html?: string;
  readonly html_base64?: string;
  readonly base: string;
  readonly http_charset?: string;
  readonly links?: readonly { readonly url: string; readonly anchor?: string }[];
  readonly links_contain?: readonly string[];
  readonly link_count?: number;
  readonly raw_links?: readonly { readonly value: string; readonly where: string }[];
  readonly options?: Readonly<Record<string, unknown>>;
  readonly notes?: string;
}

interface Difference {
  /** Source and test, and how many of their links are missing and how many are ours alone, in all such cases. */
  readonly where: string;
  readonly missing: number;
  readonly extra: number;
  readonly why: string;
}

const ALLOWED: readonly Difference[] = [
  {
    where: "apache-nutch TestDOMContentUtils[7]",
    missing: 0,
    extra: 1,
    why: "there, rel=nofollow drops the link; here it is reported with its rel",
  },
  {
    where: "heritrix3 testMetaContentURI",
    missing: 2,
    extra: 0,
    why: "og:video and its like are annotations, not links of the page",
  },
  {
    where: "heritrix3 testMetaRobots",
    missing: 0,
    extra: 1,
    why: "there, a nofollow page has no links; here the page says nofollow and the crawl decides",
  },
  {
    where: "heritrix3 testOutLinksWithBaseHref",
    missing: 1,
    extra: 0,
    why: "there, the base URL is listed as a link",
  },
  {
    where: "scrapy test_ignored_extensions",
    missing: 0,
    extra: 2,
    why: "there, links are dropped by their extension; here scope rules do that",
  },
  {
    where: "scrapy test_link_extractor_aggregation",
    missing: 0,
    extra: 2,
    why: "there, links are made unique by key; here a link is what the page says",
  },
  {
    where: "scrapy test_tags_attrs",
    missing: 4,
    extra: 2,
    why: "there, data-url is chosen to be a link in place of href",
  },
];

/** Where webarchive-commons finds values that are no links here, and why. */
const NO_LINKS: readonly (readonly [RegExp, string])[] = [
  [/@\/(data-[a-z-]+)$/, "data-* attributes belong to the page's scripts"],
  [/@\/on[a-z]+$/, "scripts aren't run"],
  [/@\/(cite|longdesc|background)$/, "not something that a browser goes to, or decoration"],
  [/^__base__$/, "PageFacts.base has it"],
];

const encoder = new TextEncoder();

function bytesOf(source: Case): Uint8Array | undefined {
  if (source.html !== undefined) return encoder.encode(source.html);
  if (source.html_base64 === undefined) return undefined;
  return Uint8Array.from(atob(source.html_base64), (letter) => letter.charCodeAt(0));
}

const core = await loadCore();

function scan(source: Case, html: Uint8Array, forms: boolean) {
  return core.scan(html, {
    url: source.base,
    embeds: true,
    anchorText: true,
    forms,
    ...(source.http_charset === undefined ? {} : { contentType: `text/html; charset=${source.http_charset}` }),
  });
}

/** A URL as this project writes it: sources differ in the slash of an empty path. */
function spelled(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url;
}

test("outlinks: absolute links of nutch, heritrix, norconex and scrapy", () => {
  const differences = new Map<string, { missing: number; extra: number; detail: string[] }>();
  let compared = 0;
  for (const source of corpusLines<Case>("5-html/outlinks.open.jsonl")) {
    const html = bytesOf(source);
    if (html === undefined || source.raw_links !== undefined) continue;
    compared++;
    const found = new Set(
      scan(source, html, !/form actions off/.test(source.notes ?? "")).links.map((link) => link.url),
    );
    if (source.link_count !== undefined) {
      assert.equal(found.size, source.link_count, `${source.source} ${source.test}`);
      continue;
    }
    const expected = new Set((source.links ?? []).map((link) => spelled(link.url)));
    for (const url of source.links_contain ?? []) expected.add(spelled(url));
    const missing = [...expected].filter((url) => !found.has(url));
    const extra = source.links === undefined ? [] : [...found].filter((url) => !expected.has(url));
    if (missing.length + extra.length === 0) continue;
    const where = `${source.source} ${source.test}`;
    const sum = differences.get(where) ?? { missing: 0, extra: 0, detail: [] };
    sum.missing += missing.length;
    sum.extra += extra.length;
    sum.detail.push(...missing.map((url) => `missing ${url}`), ...extra.map((url) => `extra ${url}`));
    differences.set(where, sum);
  }
  for (const { where, missing, extra } of ALLOWED) {
    const sum = differences.get(where);
    assert.deepEqual(
      { missing: sum?.missing, extra: sum?.extra },
      { missing, extra },
      `${where}: ${sum?.detail.join("; ")}`,
    );
    differences.delete(where);
  }
  assert.deepEqual([...differences].map(([where, { detail }]) => `${where}: ${detail.join("; ")}`), []);
  assert.ok(compared >= 35, `only ${compared} were compared`);
}, { skip: CORPORA_ABSENT });

test("outlinks: raw values of webarchive-commons", () => {
  let compared = 0;
  for (const source of corpusLines<Case>("5-html/outlinks.open.jsonl")) {
    const html = bytesOf(source);
    if (html === undefined || source.raw_links === undefined) continue;
    const found = new Set(scan(source, html, true).links.map((link) => link.raw.trim()));
    const expected = new Set(
      source.raw_links.filter(({ where }) => !NO_LINKS.some(([pattern]) => pattern.test(where)))
        .map(({ value }) => value.trim().replaceAll("&amp;", "&")).filter((value) =>
          value !== "" && !value.startsWith("data:")
        ),
    );
    compared += expected.size;
    assert.deepEqual([...found].sort(), [...expected].sort(), source.base);
  }
  assert.ok(compared > 10, `only ${compared} were compared`);
}, { skip: CORPORA_ABSENT });

/** Anchors that differ, by test: how many, and why. */
const ANCHORS_DIFFER: Readonly<Record<string, readonly [links: number, why: string]>> = {
  "TestDOMContentUtils[9]": [1, "the text of an area's neighbours; an area has none of its own"],
  "TestDOMContentUtils[13]": [
    2,
    "the text of an iframe, which is a fallback that no browser shows, and of an image link",
  ],
  "test_link_extractor_aggregation": [1, "links made one by key keep the first's text there"],
};

test("outlinks: anchor texts of nutch and scrapy", () => {
  const differing = new Map<string, string[]>();
  let compared = 0;
  for (const source of corpusLines<Case>("5-html/outlinks.open.jsonl")) {
    const html = bytesOf(source);
    if (html === undefined) continue;
    const found = scan(source, html, true).links;
    for (const { url, anchor = "" } of source.links ?? []) {
      const ours = found.filter((link) => link.url === spelled(url));
      if (anchor === "" || ours.length === 0) continue;
      compared++;
      if (ours.some(({ text }) => text === anchor.trim().replace(/\s+/g, " "))) continue;
      const detail = `${url}: ${JSON.stringify(anchor)}, ours ${JSON.stringify(ours.map(({ text }) => text))}`;
      differing.set(source.test, [...differing.get(source.test) ?? [], detail]);
    }
  }
  const counts = Object.fromEntries([...differing].map(([name, details]) => [name, details.length]));
  const wanted = Object.fromEntries(Object.entries(ANCHORS_DIFFER).map(([name, [links]]) => [name, links]));
  assert.deepEqual(counts, wanted, [...differing.values()].flat().join("\n"));
  assert.ok(compared >= 35, `only ${compared} were compared`);
}, { skip: CORPORA_ABSENT });
