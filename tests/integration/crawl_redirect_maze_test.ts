/** Redirects that lead nowhere, round and round, out of the web or into this machine: each ends, is told, and hurts nobody. */

import assert from "node:assert/strict";
import { pagesOf } from "../support/crawl_output.ts";
import { runOutrider, summaryOf } from "../support/outrider_process.ts";
import { html, missing, moved, startSites } from "../support/scripted_sites.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";

const REFUSED: Record<string, string> = {
  file: "file://example.com/etc/passwd",
  ftp: "ftp://example.com/x",
  data: "data:text/html,hello",
  javascript: "javascript:alert(1)",
  nonsense: "http://[::1",
  userinfo: "http://user:secret@127.0.0.1/",
};
const INNER: Record<string, string> = {
  private: "http://10.1.2.3/",
  metadata: "http://169.254.169.254/latest/",
  mapped: "http://[::ffff:a01:203]/",
  number: "http://167838211/",
  zero: "http://0/",
};

test("redirect mazes: 5 hops, loops, refused schemes, inner addresses and meta refreshes all end (E58, E61, E62, E63, E73)", async () => {
  const links = [
    "maze/0",
    "self",
    "loop/a",
    "long",
    "bounce",
    "refresh",
    ...Object.keys(REFUSED),
    ...Object.keys(INNER),
  ];
  const sites = await startSites(({ path }) => {
    const [, first = "", second = ""] = path.split("/");
    if (path === "/robots.txt") return missing();
    if (path === "/") return html(links.map((link) => `<a href="/${link}">x</a>`).join(""));
    if (first === "maze") return moved(`/maze/${Number(second) + 1}`);
    if (first === "self") return moved("/self");
    if (first === "loop") return moved(second === "a" ? "/loop/b" : "/loop/a");
    if (first === "long") return moved(`/${"y".repeat(50_000)}`);
    // To the same key in another spelling, for ever: inside the lease.
    if (first === "bounce") return moved(path === "/bounce" ? "/bounce?" : "/bounce#x");
    if (first === "refresh") return html('<base href="/deep/"><meta content="0; URL=landed" http-equiv="refresh">');
    if (path === "/deep/landed") return html("landed");
    return moved(REFUSED[first] ?? INNER[first] ?? "/");
  });
  const folder = temporaryFolder();
  const flags = [
    "--data",
    folder.path,
    "--delay-ms",
    "0",
    "--allow-address",
    "127.0.0.0/8",
    "--json",
    "--scope",
    "any",
  ];
  try {
    const ended = await runOutrider(["crawl", sites.url("127.0.0.1"), ...flags, "--contact", "test@example.org"]);
    const summary = summaryOf(ended) as { ended: string; errors_by_class: Record<string, number>; accepted: number };
    assert.equal(summary.ended, "finished", ended.stderr);
    const count = (prefix: string) => sites.log.filter(({ path }) => path.startsWith(prefix)).length;
    assert.equal(count("/maze/"), 6, "a URL and five redirects");
    assert.deepEqual([count("/self"), count("/loop/"), count("/long"), count("/yyy")], [1, 2, 1, 0]);
    assert.ok(count("/bounce") <= 6, `${count("/bounce")}`);
    for (const name of [...Object.keys(REFUSED), ...Object.keys(INNER)]) assert.equal(count(`/${name}`), 1, name);
    assert.ok(summary.errors_by_class.redirect_refused! >= 4, JSON.stringify(summary));
    // Already their robots.txt is out of reach.
    const ofRobots = Object.keys(summary.errors_by_class).filter((name) => name.startsWith("robots_"));
    const unread = ofRobots.reduce((sum, name) => sum + summary.errors_by_class[name]!, 0);
    assert.ok(unread >= 4, JSON.stringify(summary));
    const pages = pagesOf(folder.path).map(({ url }) => new URL(url).pathname).sort();
    assert.deepEqual(pages, ["/", "/deep/landed", "/refresh"]);
  } finally {
    await folder.remove();
    await sites.close();
  }
});
