/**
 * Sitemaps and feeds as another parser's tests expect them; every expectation that isn't met is listed with its reason, so
 * that a new difference can't hide.
 */

import assert from "node:assert/strict";
import { answerSitemap, type SitemapAnswer } from "../../cli/sitemap_answer.ts";
import { rfc822DateMs, w3cDateMs } from "../../edge/sitemap/dates.ts";
import { CORPORA_ABSENT, corpusBytes, corpusLines } from "../support/corpora.ts";
import { testCore } from "../support/frontier.ts";
import { test } from "../support/test.ts";

interface Wanted {
  readonly loc: string;
  readonly lastmod?: string | null;
  readonly lastmod_epoch?: number | null;
  readonly changefreq?: string | null;
  readonly priority?: number | null;
}

interface Case {
  readonly test: string;
  readonly op?: string;
  readonly url: string;
  readonly body?: string | null;
  readonly file?: string;
  readonly content_type?: string | null;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly expect: {
    readonly error?: string;
    readonly is_index?: boolean;
    readonly url_count?: number;
    readonly sitemap_count?: number;
    readonly contains?: readonly string[];
    readonly urls?: readonly Wanted[];
  };
}

const LENIENT =
  "broken markup, a wrong namespace and a document type cost nothing but themselves: what can be read is read, entities aren't expanded";
const BY_SCOPE = "which URLs a sitemap may name is the crawl's scope to say, not the sitemap's folder";

/** Cases that aren't met, as `test` + options, with the reason. */
const DIFFERENT: Readonly<Record<string, string>> = {
  'testSitemapWithWrongNamespace {"strict_namespace":true}': LENIENT,
  "testSitemapParserBrokenXml {}": LENIENT,
  "testSitemapXXE {}": LENIENT,
  "testLenientParser {}": BY_SCOPE,
};

function differences(answer: SitemapAnswer | { error: string }, expect: Case["expect"]): string[] {
  if (expect.error !== undefined) return "error" in answer ? [] : ["no error"];
  if ("error" in answer) return [answer.error];
  const found: string[] = [];
  const same = (name: string, wanted: unknown, is: unknown) => {
    if (wanted !== undefined && (wanted ?? undefined) !== is) found.push(`${name}: ${is}, not ${wanted}`);
  };
  same("index", expect.is_index, answer.kind === "index");
  same("urls", expect.url_count, answer.urls.length);
  same("sitemaps", expect.sitemap_count, answer.sitemaps.length);
  const locs = new Set([...answer.sitemaps, ...answer.urls.map(({ loc }) => loc)]);
  for (const loc of expect.contains ?? []) if (!locs.has(loc)) found.push(`lacks ${loc}`);
  for (const { loc, lastmod, lastmod_epoch, changefreq, priority } of expect.urls ?? []) {
    const entry = answer.urls.find((one) => one.loc === loc);
    if (entry === undefined) found.push(`lacks ${loc}`);
    same("lastmod", lastmod, entry?.lastmod);
    same("changefreq", changefreq, entry?.changefreq);
    same("priority", priority, entry?.priority);
    const ms = entry?.lastmod === undefined ? undefined : w3cDateMs(entry.lastmod) ?? rfc822DateMs(entry.lastmod);
    same("epoch", lastmod_epoch, ms === undefined ? undefined : ms / 1000);
  }
  return found;
}

test("sitemaps: another parser's cases, each met or named with its reason", async () => {
  const core = await testCore();
  const cases = corpusLines<Case>("4-sitemaps/cases.jsonl").filter(({ op }) => op === undefined);
  assert.ok(cases.length > 40);
  const unmet: string[] = [];
  for (const { test, options, expect, url, body, file } of cases) {
    const bytes = file === undefined ? undefined : corpusBytes(`4-sitemaps/${file}`);
    const input = bytes === undefined ? { body } : { body_base64: btoa(String.fromCharCode(...bytes)) };
    const name = `${test} ${JSON.stringify(options ?? {})}`;
    const found = differences(await answerSitemap(core, { url, ...input }, Date.UTC(2026, 10, 30)), expect);
    if (found.length > 0) unmet.push(name);
    if (DIFFERENT[name] === undefined) assert.deepEqual(found, [], name);
  }
  assert.deepEqual(new Set(unmet), new Set(Object.keys(DIFFERENT)), "a named difference that is none any more");
}, CORPORA_ABSENT === undefined ? {} : { skip: CORPORA_ABSENT });

test("sitemaps: every file of the corpus is read or refused with a sentence", async () => {
  const core = await testCore();
  const files = ["images", "links", "mobile", "news", "videos"].map((name) => `extension/sitemap-${name}.xml`);
  for (const file of [...files, "sitemap-with-bom.txt", "atom.xml", "sitemap.txt.gz"]) {
    const body_base64 = btoa(String.fromCharCode(...corpusBytes(`4-sitemaps/files/${file}`)));
    const answer = await answerSitemap(core, { url: "http://www.example.com/s", body_base64 }, Date.UTC(2026, 10, 30));
    assert.ok(!("error" in answer) && answer.urls.length > 0, `${file}: ${JSON.stringify(answer)}`);
    assert.ok(answer.urls.every(({ loc }) => !/\.(?:jpe?g|png|flv|mp4|swf)/i.test(loc)), `${file}: media are no pages`);
  }
}, CORPORA_ABSENT === undefined ? {} : { skip: CORPORA_ABSENT });
