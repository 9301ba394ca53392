import assert from "node:assert/strict";
import { testCore } from "../../tests/support/frontier.ts";
import { test } from "../../tests/support/test.ts";
import { rfc822DateMs, w3cDateMs, w3cDateOf } from "./dates.ts";
import { parseSitemap, resolveLocs } from "./parse.ts";
import type { Sitemap } from "./sitemap.ts";

const NOW = Date.UTC(2026, 10, 30);

async function read(text: string | Uint8Array, more: { isCut?: boolean } = {}): Promise<Sitemap> {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const sitemap = await parseSitemap(bytes, { now: NOW, ...more });
  if ("error" in sitemap) throw new Error(sitemap.error);
  return sitemap;
}

const urlset = (inner: string) => `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${inner}</urlset>`;
const locs = async (text: string) => (await read(text)).entries.map(({ loc }) => loc);

test("E96: a lastmod in the future, a priority of 0 or that is no number, an unknown changefreq count as not said", async () => {
  const fields = (inner: string) => read(urlset(`<url><loc>http://e.org/</loc>${inner}</url>`));
  for (const nothing of ["2999-01-01", "yesterday", "2020-02-30", ""]) {
    assert.deepEqual((await fields(`<lastmod>${nothing}</lastmod>`)).entries, [{ loc: "http://e.org/" }], nothing);
  }
  for (const nothing of ["0", "0.0", "NaN", "-1", "1.5", "high", "Infinity", "0x1"]) {
    assert.deepEqual((await fields(`<priority>${nothing}</priority>`)).entries, [{ loc: "http://e.org/" }], nothing);
  }
  const good = await fields("<lastmod> 2026-11-30 </lastmod><changefreq>Daily</changefreq><priority>1.0</priority>");
  assert.deepEqual(good.entries, [{ loc: "http://e.org/", lastmod: "2026-11-30", changefreq: "daily", priority: 1 }]);
});

test("E97: entities of a document type are not expanded, however they nest, and nothing is loaded", async () => {
  const bomb =
    `<!DOCTYPE x [<!ENTITY a "http://e.org/x"><!ENTITY b "&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>`;
  const found = await locs(bomb + urlset("<url><loc>&b;</loc></url><url><loc>http://e.org/&c;</loc></url>"));
  assert.deepEqual(found, ["&b;", "http://e.org/&c;"]);
});

test("E93: more URLs than a sitemap may have are cut off, and so it says", async () => {
  const many = urlset(Array.from({ length: 50_010 }, (_, i) => `<url><loc>http://e.org/${i}</loc></url>`).join(""));
  const sitemap = await read(many);
  assert.deepEqual([sitemap.entries.length, sitemap.truncated], [50_000, true]);
  const text = await read("http://e.org/x\n".repeat(50_010));
  assert.deepEqual([text.entries.length, text.truncated], [50_000, true]);
});

test("a value that is cut off with the file is no URL; one that only lacks its end tag is", async () => {
  const begun = "<urlset><url><loc>http://e.org/whole</loc></url><url><loc>http://e.org/cu";
  assert.deepEqual(await locs(begun), ["http://e.org/whole"]);
  assert.deepEqual(await locs(`${begun}t</lo`), ["http://e.org/whole", "http://e.org/cut"]);
  const lines = await read("http://e.org/a\nhttp://e.org/b", { isCut: true });
  assert.deepEqual([lines.entries, lines.truncated], [[{ loc: "http://e.org/a" }], true]);
});

test("prefixes: the root's own count, extensions' don't; other languages of a page are kept beside it", async () => {
  const own = '<s:urlset xmlns:s="x"><s:url><s:loc>http://e.org/a</s:loc></s:url></s:urlset>';
  assert.deepEqual(await locs(own), ["http://e.org/a"]);
  const extended = urlset(
    "<url><loc>http://e.org/p</loc><image:image><image:loc>http://e.org/i.png</image:loc></image:image>" +
      '<xhtml:link rel="alternate" hreflang="de" href="http://e.org/de"/></url>',
  );
  assert.deepEqual((await read(extended)).entries, [{ loc: "http://e.org/p", alternates: ["http://e.org/de"] }]);
});

test("encodings: a byte order mark, UTF-16, and the XML declaration are obeyed", async () => {
  const text = urlset("<url><loc>http://e.org/é</loc></url>");
  const utf16 = Uint8Array.from(
    [...`\ufeff${text}`].flatMap((one) => [one.charCodeAt(0) & 255, one.charCodeAt(0) >> 8]),
  );
  assert.deepEqual((await read(utf16)).entries, [{ loc: "http://e.org/é" }]);
  const latin = `<?xml version="1.0" encoding="ISO-8859-1"?>${text}`;
  assert.deepEqual((await read(Uint8Array.from(latin, (one) => one.charCodeAt(0)))).entries, [{
    loc: "http://e.org/é",
  }]);
  assert.deepEqual(await locs(`\ufeff${text}`), ["http://e.org/é"]);
});

test("a file that breaks off in the midst of a tag names nothing that the whole file doesn't", async () => {
  const whole = urlset(
    "<url><loc>http://e.org/?a=1&amp;b</loc><image:image><image:loc>http://e.org/i.png</image:loc></image:image></url>" +
      "<url><lastmod>2026-01-01</lastmod><loc><![CDATA[http://e.org/?x&y]]></loc></url>",
  );
  const names = new Set(await locs(whole));
  assert.equal(names.size, 2);
  for (let length = 60; length < whole.length; length++) {
    for (const loc of await locs(whole.slice(0, length))) assert.ok(names.has(loc), whole.slice(0, length));
  }
});

test("what a server warns of before the XML costs nothing; a page that shows a sitemap is none", async () => {
  const whole = urlset("<url><loc>http://e.org/</loc></url>");
  const warnings = ["Warning: something\n", "<br />\n<b>Warning</b>: x in <b>/y.php</b><br />\n", "\ufeff \n"];
  for (const warning of warnings) assert.deepEqual(await locs(warning + whole), ["http://e.org/"], warning);
  const page = await parseSitemap(new TextEncoder().encode(`<html><pre>${whole}</pre></html>`), { now: NOW });
  assert.ok("error" in page);
});

test("an entry without an address isn't given that of its image", async () => {
  const image = "<image:image><image:loc>http://e.org/i.png</image:loc></image:image>";
  assert.deepEqual(await locs(urlset(`<url>${image}</url><url>${image}http://e.org/forgotten</url>`)), [
    "http://e.org/forgotten",
  ]);
});

test("what is no sitemap gets a sentence; deep nesting ends", async () => {
  for (const none of ["", "<html><body/></html>", "just words", "\u0000\u0001", "<", "<!DOCTYPE"]) {
    const answer = await parseSitemap(new TextEncoder().encode(none), { now: NOW });
    assert.match("error" in answer ? answer.error : "", /^Reading a sitemap: found .*; wanted/, none);
  }
  const deep = await read(`<urlset>${"<url>".repeat(100_000)}`);
  assert.deepEqual([deep.entries, deep.truncated], [[], true]);
});

test("dates: W3C's and RFC 822's, by the calendar", () => {
  const days = (text: string) => (w3cDateMs(text) ?? NaN) / 86_400_000;
  assert.deepEqual(["1970-01-02", "1970", "1970-02"].map(days), [1, 0, 31]);
  assert.equal(w3cDateMs("2004-12-23T18:00:15+00:00"), Date.UTC(2004, 11, 23, 18, 0, 15));
  assert.equal(w3cDateMs("2004-12-23T18:00-03:30"), Date.UTC(2004, 11, 23, 21, 30));
  for (const none of ["2004-13-01", "2004-02-30", "04-01-01", "2004-01-01T25:00", "2004T10:00", "120", "-5"]) {
    assert.equal(w3cDateMs(none), undefined, none);
  }
  assert.equal(rfc822DateMs("Thu, 05 Jan 17 13:34:52 +0100"), Date.UTC(2017, 0, 5, 12, 34, 52));
  for (const none of ["05 Jan 17 13:34:55", "05 Foo 2017", "32 Jan 2017", "05 Jan 2017 10:00 XYZ"]) {
    assert.equal(rfc822DateMs(none), undefined, none);
  }
  assert.equal(w3cDateOf(Date.UTC(2017, 0, 5, 12, 34, 52)), "2017-01-05T12:34:52Z");
});

test("E93: as many URLs as there may be, as long as they may be, are resolved in parts that the core has room for", async () => {
  const locs = Array.from({ length: 50_000 }, (_, i) => `http://e.org/${i}/${"p".repeat(i % 20 === 0 ? 2_000 : 900)}`);
  const resolved = resolveLocs(["/first", ...locs, "mailto:last"], "http://e.org/s.xml", await testCore());
  assert.deepEqual([resolved[0], resolved.length, resolved.at(-1)], ["http://e.org/first", 50_002, undefined]);
  assert.equal(locs.findIndex((loc, i) => resolved[i + 1] !== loc), -1);
});
