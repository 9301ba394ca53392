/**
 * Sitemaps in a crawl: what robots.txt names is read, bounded, once each; the pages that only they name are fetched, in
 * scope and by the rules of robots.txt.
 */

import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { runOutrider, summaryOf } from "../support/outrider_process.ts";
import { answer, html, missing, page, type Script, startSites, text } from "../support/scripted_sites.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";

const xml = (body: string) => answer("200 OK", body, ["Content-Type: application/xml"]);
const urlset = (...urls: string[]) =>
  xml(`<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join("")}</urlset>`);
const index = (...urls: string[]) =>
  xml(`<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join("")}</sitemapindex>`);

function gzipped(body: string, type = "application/gzip", coding = ""): Uint8Array {
  const bytes = gzipSync(new TextEncoder().encode(body));
  const head = `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\n${coding}Content-Length: ${bytes.length}\r\n\r\n`;
  return new Uint8Array([...new TextEncoder().encode(head), ...bytes]);
}

/** An index that cites itself, a plain, a gzip and a text sitemap, and one whose children never end. */
function site(base: () => string): Script {
  return ({ path }) => {
    const url = (to: string) => `${base()}${to}`;
    switch (path) {
      case "/robots.txt":
        return text(`User-agent: *\nDisallow: /private\nSitemap: ${url("/index.xml")}\nSitemap: /list.txt\n`);
      case "/index.xml":
        return index(
          url("/index.xml"),
          url("/plain.xml"),
          url("/zipped.xml.gz"),
          url("/large.xml"),
          url("/endless/0.xml"),
        );
      case "/plain.xml":
        return urlset(url("/only-here"), url("/private/x"), "http://elsewhere.test/y", "/relative");
      case "/zipped.xml.gz":
        return gzipped(`<urlset><url><loc>${url("/zipped")}</loc></url></urlset>`);
      case "/large.xml":
        // More than a page may have, less than a sitemap may.
        return gzipped(
          `<urlset>${" ".repeat(11_000_000)}<url><loc>${url("/late")}</loc></url></urlset>`,
          "text/xml",
          "Content-Encoding: gzip\r\n",
        );
      case "/list.txt":
        return text(`${url("/from-text")}\n${url("/")}\n`);
      case "/feed":
        return answer("200 OK", `<rss><channel><item><link>${url("/from-feed")}</link></item></channel></rss>`, [
          "Content-Type: application/rss+xml",
        ]);
      case "/":
        return page("/feed");
    }
    const endless = /^\/endless\/(\d+)\.xml$/.exec(path);
    if (endless !== null) return index(url(`/endless/${Number(endless[1]) + 1}.xml`));
    return path.includes(".") ? missing() : html("<title>leaf</title>");
  };
}

async function crawled(...flags: string[]) {
  const folder = temporaryFolder();
  let base = "";
  const sites = await startSites(site(() => base));
  base = sites.url("127.0.0.1", "");
  try {
    const speed = ["--delay-ms", "0", "--allow-address", "127.0.0.0/8"];
    const ended = await runOutrider(["crawl", `${base}/`, ...speed, "--json", "--data", folder.file("data"), ...flags]);
    return { summary: summaryOf(ended), paths: sites.log.map(({ path }) => path).sort() };
  } finally {
    await sites.close();
    await folder.remove();
  }
}

test("E94: sitemaps that robots.txt names are read once each, endless ones to their depth, and their pages fetched", async () => {
  const { summary, paths } = await crawled();
  const sitemaps = [
    "/index.xml",
    "/list.txt",
    "/plain.xml",
    "/zipped.xml.gz",
    "/large.xml",
    "/endless/0.xml",
    "/endless/1.xml",
  ];
  const pages = ["/", "/feed", "/from-feed", "/from-text", "/late", "/only-here", "/relative", "/zipped"];
  assert.deepEqual(paths, ["/robots.txt", ...sitemaps, ...pages].sort());
  const { state, pages: counted, excluded, rejected_by_reason: rejected } = summary as Record<string, unknown>;
  assert.deepEqual([state, counted, excluded], ["finished", pages.length, 1], JSON.stringify(summary));
  assert.deepEqual(rejected, { scope: 1, sitemap_depth: 1 });
});

test("sitemaps: none leaves them and feeds alone, all asks for /sitemap.xml where robots.txt names none", async () => {
  const { paths } = await crawled("--sitemaps", "none");
  assert.deepEqual(paths, ["/", "/feed", "/robots.txt"]);
  const folder = temporaryFolder();
  const sites = await startSites(({ path }) => path === "/sitemap.xml" ? urlset("/found") : page());
  try {
    const speed = ["--delay-ms", "0", "--allow-address", "127.0.0.0/8", "--sitemaps", "all"];
    await runOutrider(["crawl", sites.url("127.0.0.1", "/"), ...speed, "--data", folder.file("data")]);
    assert.deepEqual(sites.log.map(({ path }) => path).sort(), ["/", "/found", "/robots.txt", "/sitemap.xml"]);
  } finally {
    await sites.close();
    await folder.remove();
  }
});
