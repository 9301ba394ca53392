import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { testCore } from "../tests/support/frontier.ts";
import { test } from "../tests/support/test.ts";
import { answerSitemap, type SitemapAnswer } from "./sitemap_answer.ts";

const NOW = Date.UTC(2026, 10, 30);
const answer = async (line: unknown) => await answerSitemap(await testCore(), line, NOW);
const base64 = (bytes: Uint8Array) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));

test("sitemap: questions that can't be read are answered with what is wanted", async () => {
  for (
    const wrong of [null, 1, [], {}, { body: 1, url: "http://e.org/" }, { body_base64: "!", url: "http://e.org/" }, {
      body: "http://e.org/",
    }, { body: "http://e.org/", url: "no url" }]
  ) {
    const refusal = await answer(wrong);
    assert.ok("error" in refusal, JSON.stringify(wrong));
  }
});

test("sitemap: relative and scheme-less addresses are resolved, others left out", async () => {
  const body = "<urlset><url><loc>/a</loc></url><url><loc>www.e.org/b</loc></url><url><loc>e.org/c#x</loc></url>" +
    "<url><loc>javascript:1</loc></url><url><loc>http://[</loc></url><url><loc>ftp://e.org/</loc></url></urlset>";
  const { kind, urls } = await answer({ body, url: "https://e.org/s.xml" }) as SitemapAnswer;
  assert.deepEqual([kind, urls.map(({ loc }) => loc)], [
    "urlset",
    ["https://e.org/a", "https://www.e.org/b", "https://e.org/c"],
  ]);
});

test("E93: a gzip bomb ends at the limit of a sitemap's size, a torn file where it is torn", async () => {
  const head = new TextEncoder().encode("<urlset><url><loc>http://e.org/a</loc></url>");
  const blanks = new Uint8Array(60_000_000).fill(32);
  blanks.set(head);
  const bomb = gzipSync(blanks);
  const stopped = await answer({ body_base64: base64(bomb), url: "http://e.org/s.xml.gz" }) as SitemapAnswer;
  assert.deepEqual([stopped.urls, stopped.truncated], [[{ loc: "http://e.org/a" }], true]);
  const torn = gzipSync(head).subarray(0, -6);
  const read = await answer({ body_base64: base64(torn), url: "http://e.org/s.xml.gz" }) as SitemapAnswer;
  assert.deepEqual([read.urls.length, read.truncated], [1, true]);
});

test("sitemap: an address with a line break or a control character is as the URL parser has it, or left out", async () => {
  const body = "<urlset><url><loc>http://e.org/a\n  b</loc></url><url><loc>http://e.org/c&#0;d&#10;e</loc></url>" +
    "<url><loc>http://e\0.org/</loc></url><url><loc>www.e.org/f\tg</loc></url><url><loc>/h\ni</loc>" +
    '<xhtml:link rel="alternate" hreflang="de" href="http://e.org/d\ne"/></url></urlset>';
  const { urls } = await answer({ body, url: "https://e.org/s.xml" }) as SitemapAnswer;
  for (const one of urls.flatMap(({ loc, alternates = [] }) => [loc, ...alternates])) {
    assert.ok([...one].every((letter) => letter > " "), JSON.stringify(one));
  }
  assert.deepEqual(urls.map(({ loc }) => loc).filter((loc) => !loc.includes("/c")), [
    "http://e.org/a%20%20b",
    "https://www.e.org/fg",
    "https://e.org/hi",
  ]);
  assert.deepEqual(urls.at(-1)!.alternates, ["http://e.org/de"]);
});
