/**
 * robots.txt of the odd kind, in a crawl: another host's file, a long one, one of another port, and redirects that lead
 * nowhere.
 */

import assert from "node:assert/strict";
import { runOutrider, spawnOutrider, summaryOf } from "../support/outrider_process.ts";
import { moved, page, type ScriptedSites, startSites, text } from "../support/scripted_sites.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";

const FLAGS = [
  ...["--resolve", "*.test=127.0.0.1", "--allow-address", "127.0.0.0/8", "--contact", "ops@crawl.example", "--json"],
  ...["--delay-ms", "20", "--delay-factor", "0", "--domain-delay-ms", "0", "--address-delay-ms", "0"],
];

const forbids = (...paths: string[]) => text(`User-agent: *\n${paths.map((path) => `Disallow: ${path}\n`).join("")}`);
const asked = (sites: ScriptedSites) =>
  sites.log.map(({ authority, path }) => authority.replace(/:.*/, "") + path).sort();

test(
  "E24: where robots.txt redirects to another host its rules bind the one that was asked for, and no other",
  async () => {
    const sites = await startSites(({ host, path }) => {
      if (host === "a.test" && path === "/robots.txt") return moved(sites.url("b.test", "/x/robots.txt?for=a"));
      if (path === "/x/robots.txt?for=a") return forbids("/private");
      if (host === "b.test" && path === "/robots.txt") return forbids("/only-b");
      return page();
    });
    const folder = temporaryFolder();
    try {
      const seeds = ["a.test", "b.test"].flatMap((host) =>
        ["/private", "/only-b"].map((path) => sites.url(host, path))
      );
      const ended = await runOutrider(["crawl", ...seeds, ...FLAGS, "--data", folder.file("data")]);
      const { fetched, excluded } = summaryOf(ended);
      assert.deepEqual([fetched, excluded], [2, 2], ended.stderr);
      const files = ["a.test/robots.txt", "b.test/robots.txt", "b.test/x/robots.txt?for=a"];
      assert.deepEqual(asked(sites), [...files, "a.test/only-b", "b.test/private"].sort());
    } finally {
      await sites.close();
      await folder.remove();
    }
  },
  { timeoutMs: 30_000 },
);

test(
  "E35, E36: half a megabyte of rules is read; each port has its own file, and no credentials are sent",
  async () => {
    const filler = "# nothing is said here, at some length, so that the file is long\n".repeat(7_900);
    const long = await startSites(({ path }) =>
      path === "/robots.txt" ? text(`User-agent: *\n${filler}Disallow: /last`) : page("/last", "/free")
    );
    const other = await startSites(({ path }) => path === "/robots.txt" ? forbids("/free") : page("/last", "/free"));
    const folder = temporaryFolder();
    try {
      const seeds = [long, other].map((sites) => sites.url("h.test", "/"));
      const ended = await runOutrider(["crawl", ...seeds, ...FLAGS, "--data", folder.file("data")]);
      assert.equal(summaryOf(ended).excluded, 2, ended.stderr);
      assert.deepEqual(asked(long), ["h.test/", "h.test/free", "h.test/robots.txt"]);
      assert.deepEqual(asked(other), ["h.test/", "h.test/last", "h.test/robots.txt"]);
      for (const { server } of [long, other]) {
        assert.ok(server.heads.every((head) => !/\r\n(?:authorization|cookie):/i.test(head)));
      }
    } finally {
      await long.close();
      await other.close();
      await folder.remove();
    }
  },
  { timeoutMs: 30_000 },
);

test(
  "E25, E63: a robots.txt that redirects in circles, six times, or to no web address allows nothing; its host waits",
  async () => {
    const hosts = ["circle.test", "long.test", "file.test", "data.test", "local.test"];
    const sites = await startSites(({ host, path }) => {
      const step = Number(/^\/r(\d)$/.exec(path)?.[1] ?? 0);
      if (path === "/") return page();
      if (host === "circle.test") return moved("/robots.txt");
      if (host === "long.test") return step === 6 ? text("") : moved(`/r${step + 1}`);
      if (host === "file.test") return moved("file:///etc/passwd");
      if (host === "data.test") return moved("data:text/plain,User-agent:*");
      return moved("http://169.254.169.254/robots.txt");
    });
    const folder = temporaryFolder();
    const seeds = hosts.map((host) => sites.url(host));
    const crawl = spawnOutrider(["crawl", ...seeds, ...FLAGS, "--data", folder.file("data")]);
    try {
      const line = await crawl.line(/5 hosts waiting for robots\.txt/);
      const { fetched, excluded, dead, queued } = JSON.parse(line) as Record<string, number>;
      assert.deepEqual([fetched, excluded, dead, queued], [0, 0, 0, hosts.length]);
      assert.equal(sites.log.some(({ path }) => path === "/"), false);
      assert.ok(sites.of("circle.test").length <= 6 && sites.of("long.test").length <= 6);
    } finally {
      crawl.kill("SIGKILL");
      await crawl.ended;
      await sites.close();
      await folder.remove();
    }
  },
  { timeoutMs: 30_000 },
);
