/**
 * The address guard in the whole program: an opened address opens itself and nothing else, on every way that leads to a
 * connection.
 */

import assert from "node:assert/strict";
import { runOutrider, summaryOf } from "../support/outrider_process.ts";
import { missing, moved, page, startSites } from "../support/scripted_sites.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";

const OPENED = "127.0.0.2";

test("guard: links, redirects and DNS answers that lead to a closed address reach nobody, whatever they are spelt like", async () => {
  const closed = await startSites(() => page());
  const { port } = closed;
  const ways = [
    `http://127.0.0.1:${port}/`,
    `http://2130706433:${port}/`,
    `http://0x7f.1:${port}/`,
    `http://0177.0.0.1:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://[::ffff:7f00:1]:${port}/`,
    `http://[::1]:${port}/`,
    `http://0.0.0.0:${port}/`,
    `http://localhost:${port}/`,
    `http://127%E3%80%820%E3%80%820%E3%80%821:${port}/`,
    `http://127.0.0.1.:${port}/`,
    `http://name.test:${port}/`,
    "http://169.254.169.254/latest/meta-data/",
  ];
  const sites = await startSites(({ path }) => {
    if (path === "/robots.txt") return missing();
    if (path === "/") return page(...ways, ...ways.map((_, index) => `/to/${index}`));
    return moved(ways[Number(path.slice("/to/".length))]!);
  }, OPENED);
  const folder = temporaryFolder();
  try {
    const names = ["--resolve", `open.test=${OPENED}`, "--resolve", "name.test=127.0.0.1,169.254.169.254"];
    const ended = await runOutrider([
      "crawl",
      sites.url("open.test"),
      ...["--scope", "any", "--delay-ms", "20", "--delay-factor", "0", "--contact", "ops@crawl.example", "--json"],
      ...["--allow-address", OPENED, "--data", folder.file("data"), ...names],
    ]);
    const summary = summaryOf(ended);
    assert.equal(closed.server.connections, 0, closed.server.heads.join("\n"));
    assert.equal(sites.of("open.test").length, 2 + ways.length);
    assert.deepEqual([summary.state, summary.fetched, summary.queued], ["finished", 1, 0]);
  } finally {
    await sites.close();
    await closed.close();
    await folder.remove();
  }
});

test("guard: a loopback seed opens its own address, not its neighbours", async () => {
  const neighbour = await startSites(() => page(), OPENED);
  const sites = await startSites(({ path }) => path === "/robots.txt" ? missing() : moved(neighbour.url(OPENED)));
  const folder = temporaryFolder();
  try {
    const seeds = [sites.url("127.0.0.1", "/a"), sites.url("127.0.0.1", "/b")];
    const flags = ["--scope", "any", "--delay-ms", "20", "--contact", "ops@crawl.example", "--json"];
    const ended = await runOutrider(["crawl", ...seeds, ...flags, "--data", folder.file("data")]);
    assert.equal(neighbour.server.connections, 0);
    assert.equal(summaryOf(ended).redirected, 2);
  } finally {
    await sites.close();
    await neighbour.close();
    await folder.remove();
  }
});

test("guard: delay 0 is refused where nothing is opened, and reaches opened addresses only", async () => {
  const sites = await startSites(({ path }) => path === "/robots.txt" ? missing() : page());
  const folder = temporaryFolder();
  try {
    const flags = ["--delay-ms", "0", "--contact", "ops@crawl.example", "--json", "--data", folder.file("data")];
    const refused = await runOutrider(["crawl", sites.url("127.0.0.1"), ...flags]);
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /--allow-address/);
    const elsewhere = await runOutrider(["crawl", sites.url("127.0.0.1"), ...flags, "--allow-address", OPENED]);
    assert.equal(sites.server.connections, 0, elsewhere.stdout);
    assert.deepEqual([elsewhere.code, summaryOf(elsewhere).dead], [1, 1]);
  } finally {
    await sites.close();
    await folder.remove();
  }
});
