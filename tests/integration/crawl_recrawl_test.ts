/** A finished crawl is asked for again: conditional requests, 304, and pages that changed. */

import assert from "node:assert/strict";
import { cdxjOf, pagesOf, warcFiles } from "../support/crawl_output.ts";
import { runOutrider, summaryOf } from "../support/outrider_process.ts";
import { answer, missing, startSites } from "../support/scripted_sites.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";

const DATE = "Sun, 06 Nov 1994 08:49:37 GMT";

test("recrawl: validators are sent back, 304 keeps the page, a changed page is stored anew (E83, E99, E101, E103)", async () => {
  let round = 1;
  const conditions: string[] = [];
  const html = (body: string, ...headers: string[]) => answer("200 OK", body, ["Content-Type: text/html", ...headers]);
  const sites = await startSites(({ path }, { head }) => {
    const condition = /\r\nif-[a-z-]+: [^\r\n]*/gi;
    for (const line of head.match(condition) ?? []) conditions.push(`${path} ${line.trim()}`);
    if (path === "/robots.txt") return missing();
    const links = ["tag", "date", "plain", "gone"].map((name) => `<a href="/${name}">x</a>`).join("");
    if (path === "/") return html(links, 'ETag: "home"');
    if (path === "/tag") {
      const isKnown = /if-none-match: "v1"/i.test(head);
      return isKnown ? 'HTTP/1.1 304 Not Modified\r\nETag: "v1"\r\n\r\n' : html("a page that stays", 'ETag: "v1"');
    }
    if (path === "/date") {
      const isKnown = head.toLowerCase().includes(`if-modified-since: ${DATE.toLowerCase()}`);
      return isKnown ? "HTTP/1.1 304 Not Modified\r\n\r\n" : html("dated", `Last-Modified: ${DATE}`);
    }
    if (path === "/plain") return html(`round ${round}`);
    return round === 1 ? missing() : html("back again");
  });
  const folder = temporaryFolder();
  const crawl = async (...flags: string[]) => {
    const base = ["--data", folder.path, "--delay-ms", "0", "--allow-address", "127.0.0.0/8", "--json"];
    const ended = await runOutrider(["crawl", sites.url("127.0.0.1"), ...base, ...flags]);
    return { code: ended.code, ...summaryOf(ended) } as { code: number; pages: number; ended: string };
  };
  const asked = () => sites.log.filter(({ path }) => path !== "/robots.txt").length;
  try {
    const first = await crawl("--recrawl");
    assert.deepEqual([first.code, first.pages, asked()], [0, 4, 5], "a crawl that is new is merely crawled");
    assert.deepEqual(conditions, []);
    await crawl();
    assert.equal(asked(), 5, "without the flag nothing is asked for again");
    round = 2;
    const second = await crawl("--recrawl");
    assert.deepEqual([second.code, second.pages, second.ended, asked()], [0, 5, "finished", 10]);
    assert.deepEqual(conditions.sort(), [
      '/ If-None-Match: "home"',
      `/date If-Modified-Since: ${DATE}`,
      '/tag If-None-Match: "v1"',
    ]);
    const lines = pagesOf(folder.path).map(({ url, status }) => `${new URL(url).pathname} ${status}`);
    const stored = (path: string) => lines.filter((line) => line.startsWith(`${path} `));
    assert.deepEqual([stored("/tag"), stored("/date"), stored("/plain"), stored("/gone")], [
      ["/tag 200"],
      ["/date 200"],
      ["/plain 200", "/plain 200"],
      ["/gone 404", "/gone 200"],
    ]);
    const checked = await runOutrider(["warc", "check", ...warcFiles(folder.path)]);
    assert.equal(checked.code, 0, checked.stdout);
    // The index of both runs: a 304 is a revisit of the first run's capture, and so is a body that came again.
    const revisits = cdxjOf(folder.path).filter(({ fields }) => fields.mime === "warc/revisit");
    const paths = revisits.map(({ fields }) => new URL(fields.url!).pathname);
    assert.deepEqual(paths.filter((path) => ["/", "/tag", "/date", "/plain"].includes(path)).sort(), [
      "/",
      "/date",
      "/tag",
    ]);
  } finally {
    await folder.remove();
    await sites.close();
  }
});
