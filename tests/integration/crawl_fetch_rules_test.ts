/** Cookies and media types in whole crawls: what is asked, what is kept, and what is told. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { pagesOf, warcFiles } from "../support/crawl_output.ts";
import { addressOf, startDnsServer } from "../support/dns_server.ts";
import { runOutrider, summaryOf } from "../support/outrider_process.ts";
import type { RawRequest } from "../support/raw_server.ts";
import { answer, html, missing, moved, startSites, text } from "../support/scripted_sites.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";

const FAST = ["--delay-ms", "0", "--allow-address", "127.0.0.0/8", "--json"];

interface Crawled {
  readonly pages: string[];
  readonly summary: Record<string, unknown>;
}

async function crawl(url: string, ...flags: string[]): Promise<Crawled> {
  const folder = temporaryFolder();
  try {
    const ended = await runOutrider(["crawl", url, "--data", folder.path, ...FAST, ...flags]);
    const pages = pagesOf(folder.path).map((page) => `${new URL(page.url).pathname} ${page.status}`).sort();
    return { pages, summary: summaryOf(ended) };
  } finally {
    await folder.remove();
  }
}

const cookieOf = (head: string) => /\r\ncookie: ([^\r\n]*)/i.exec(head)?.[1];

test("E58: a page behind a cookie dance is had with --cookies, and without them the dance ends", async () => {
  const sites = await startSites(({ host, path }, { head }) => {
    if (path === "/robots.txt") return missing();
    if (host === "other.example.test") return html("elsewhere");
    if (path === "/?set=1") return answer("302 Found", "", ["Location: /", "Set-Cookie: seen=1"]);
    if (path === "/away") {
      return answer("302 Found", "", [`Location: http://other.example.test:${sites.port}/`, "Set-Cookie: a=b; Path=/"]);
    }
    if (cookieOf(head) === undefined) return moved("/?set=1");
    return html('behind <a href="/away">away</a>');
  });
  const url = sites.url("dance.example.test");
  const there = ["--resolve", "*.example.test=127.0.0.1", "--scope", "domain", "--contact", "test@example.org"];
  try {
    const without = await crawl(url, ...there);
    assert.deepEqual(without.pages, []);
    assert.ok(sites.of("dance.example.test").length <= 8, "a dance without cookies ends");
    const first = sites.server.heads.length;
    const withThem = await crawl(url, ...there, "--cookies");
    assert.deepEqual(withThem.pages, ["/ 200", "/ 200"]);
    const heads = sites.server.heads.slice(first);
    const sent = heads.filter((head) => cookieOf(head) !== undefined);
    assert.ok(sent.length > 0);
    // E60: neither another host nor a robots.txt gets to see them.
    for (const head of sent) assert.match(head, /^GET \/(?!robots).* HTTP\/1\.1\r\nhost: dance\.example\.test/);
    assert.ok(heads.some((head) => head.includes("host: other.example.test")));
    assert.ok(!heads.some((head) => /\r\nauthorization:/i.test(head)));
  } finally {
    await sites.close();
  }
});

test("content types: what isn't wanted is ended after its head, counted, and never stored", async () => {
  let sent = 0;
  const sites = await startSites(({ path }, request) => {
    if (path === "/robots.txt") return missing();
    if (path === "/") return html('<a href="/film.mp4">film</a> <a href="/paper">paper</a> <a href="/bare">bare</a>');
    if (path === "/bare") return "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbare";
    if (path === "/paper") return answer("200 OK", "text", ["Content-Type: text/plain"]);
    return film(request);
  });
  const film = async (request: RawRequest) => {
    await request.send("HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n");
    // For as long as somebody listens.
    while (!request.socket.destroyed && sent < 200) {
      await request.send(new Uint8Array(64 * 1024));
      sent++;
    }
    request.end();
  };
  try {
    const { pages, summary } = await crawl(sites.url("127.0.0.1"), "--content-type", "text/*");
    assert.deepEqual(pages, ["/ 200", "/bare 200", "/paper 200"]);
    assert.deepEqual([summary.excluded, summary.ended], [1, "finished"]);
    assert.ok(sent < 100, `${sent} of 200 pieces of 64 KB were sent`);
    assert.equal(sites.log.filter(({ path }) => path === "/film.mp4").length, 1, "it isn't tried again");
  } finally {
    await sites.close();
  }
});

test("noarchive and nosnippet are told of each page, and with obey a noarchive page's body isn't kept", async () => {
  const sites = await startSites(({ path }) => {
    if (path === "/robots.txt") return missing();
    if (path === "/") return html('<meta name=robots content="noarchive"><a href="/tag">x</a> a secret body');
    return answer("200 OK", "another secret", [
      "Content-Type: text/plain",
      "X-Robots-Tag: outrider: noarchive, nosnippet",
    ]);
  });
  const folders = { mark: temporaryFolder(), obey: temporaryFolder() };
  try {
    for (const use of ["mark", "obey"] as const) {
      const folder = folders[use].path;
      const ended = await runOutrider(["crawl", sites.url("127.0.0.1"), "--data", folder, ...FAST, "--noarchive", use]);
      assert.equal(ended.code, 0, ended.stderr);
      const lines = pagesOf(folder) as unknown as { url: string; robots?: string; truncated?: string }[];
      const told = lines.map(({ url, robots, truncated }) => [new URL(url).pathname, robots, truncated]).sort();
      const cut = use === "obey" ? "unspecified" : undefined;
      assert.deepEqual(told, [["/", "noarchive", cut], ["/tag", "noarchive,nosnippet", cut]]);
      const files = warcFiles(folder);
      assert.equal((await runOutrider(["warc", "check", ...files])).code, 0);
      const kept = files.map((file) => gunzipSync(readFileSync(file)).toString("latin1")).join("");
      assert.equal(kept.includes("secret"), use === "mark");
      assert.match(kept, /\/tag/);
    }
  } finally {
    await folders.mark.remove();
    await folders.obey.remove();
    await sites.close();
  }
});

test("--resolver: names are asked of that server, and what it says passes the guard (E73)", async () => {
  const sites = await startSites(({ path }) => {
    if (path === "/robots.txt") return missing();
    return html(
      `<a href="http://inner.example.test:${sites.port}/">inner</a> <a href="http://none.example.test/">none</a>`,
    );
  });
  const dns = await startDnsServer((asked) => {
    if (asked.name === "none.example.test") return { records: [], code: "NXDOMAIN", negativeTtl: 60 };
    return addressOf(asked, asked.name === "inner.example.test" ? "169.254.169.254" : "127.0.0.1");
  });
  const folder = temporaryFolder();
  try {
    const flags = ["--resolver", dns.address, "--scope", "domain", "--contact", "test@example.org", "--max-pages", "1"];
    const ended = await runOutrider(["crawl", sites.url("www.example.test"), "--data", folder.path, ...FAST, ...flags]);
    assert.deepEqual([summaryOf(ended).pages, sites.of("www.example.test").length], [1, 2], ended.stderr);
    assert.equal(sites.of("inner.example.test").length, 0);
    assert.ok(dns.asked.some(({ name, type }) => name === "www.example.test" && type === "AAAA"));
    const wrong = await runOutrider([
      "crawl",
      "http://a.example/",
      "--contact",
      "a@example.org",
      "--resolver",
      "dns.example",
    ]);
    assert.deepEqual([wrong.code, /--resolver: .* wanted an IP address/.test(wrong.stderr)], [2, true], wrong.stderr);
  } finally {
    await folder.remove();
    await dns.close();
    await sites.close();
  }
});

test("limits by flags: a longer body is cut and marked, robots.txt is read whole all the same (E35), a slow page is given up", async () => {
  const rules = `User-agent: *\n${"# comment\n".repeat(500)}Disallow: /private\n`;
  const sites = await startSites(({ path }, request) => {
    if (path === "/robots.txt") return text(rules);
    if (path === "/") return html(`<a href="/private">x</a> <a href="/slow">y</a> <a href="/long">z</a>`);
    if (path === "/long") return html("long ".repeat(1000));
    if (path === "/slow") return request.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nbegun");
    return html("private");
  });
  const folder = temporaryFolder();
  try {
    const flags = ["--max-body-mb", "0.002", "--timeout-ms", "1000"];
    const ended = await runOutrider(["crawl", sites.url("127.0.0.1"), "--data", folder.path, ...FAST, ...flags]);
    assert.equal(summaryOf(ended).excluded, 1, ended.stderr);
    const lines = pagesOf(folder.path) as unknown as { url: string; body_length: number; truncated?: string }[];
    const found = lines.map(({ url, body_length, truncated }) => [new URL(url).pathname, body_length, truncated])
      .sort();
    assert.deepEqual(found.slice(1), [["/long", 2000, "length"], ["/slow", 5, "time"]]);
  } finally {
    await folder.remove();
    await sites.close();
  }
});
