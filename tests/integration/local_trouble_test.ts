/**
 * This machine's trouble isn't the web's fault: a way to the web that is lost for all hosts, a resolver that answers no
 * more, a disk that is full. Nothing is given up, no host gains back-off, and the crawl goes on by itself.
 */

import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import process from "node:process";
import { startDnsServer } from "../support/dns_server.ts";
import { Fleet } from "../support/fleet.ts";
import { spawnOutrider, summaryOf } from "../support/outrider_process.ts";
import { missing, page, type Script, type ScriptedSites, startSites } from "../support/scripted_sites.ts";
import { bindDisk, MOUNT_ABSENT, mountDisk, resizeDisk, unmountDisk } from "../support/small_disk.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";

const HOSTS = ["a.test", "b.test", "c.test", "d.test", "e.test"];
const PAGES = 8;

/** Each host has a chain of pages: there is always a next one to ask for. */
const chain: Script = ({ path }) => {
  if (path === "/robots.txt") return missing();
  const number = Number(path.slice(1));
  return number < PAGES ? page(`/${number + 1}`) : page();
};

/** The only way to a server: it can be closed for all hosts, and opened again at the same port. */
async function openGate(target: number) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(target, "127.0.0.1");
    for (const [from, to] of [[socket, onward], [onward, socket]] as const) {
      sockets.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const shut = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { port, shut, reopen: () => listen(port) };
}

async function until(what: string, is: () => boolean | Promise<boolean>, ms = 30_000): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end;) {
    if (await is()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`Waited ${ms} ms for ${what}.`);
}

/** The sites share one address: no limit but their hosts' delays. */
const NO_WINDOWS = ["--contact", "ops@crawl.example", "--address-delay-ms", "0", "--domain-delay-ms", "0"];
const NETWORK = ["--resolve", "*.test=127.0.0.1", "--allow-address", "127.0.0.1"];

function assertWhole(summary: Record<string, unknown>, sites: ScriptedSites): void {
  const { state, fetched, dead, errors_by_class } = summary as Record<string, unknown>;
  assert.deepEqual([state, fetched, dead, errors_by_class], ["finished", HOSTS.length * PAGES, 0, {}]);
  const asked = sites.log.map(({ host, path }) => host + path);
  assert.equal(new Set(asked).size, HOSTS.length * (PAGES + 1));
}

test(
  "local trouble: all hosts gone at once cost no URL an attempt; the crawl waits, says why, and goes on",
  async () => {
    const sites = await startSites(chain);
    const gate = await openGate(sites.port);
    const folder = temporaryFolder();
    const seeds = HOSTS.map((host) => `http://${host}:${gate.port}/1`);
    const crawl = spawnOutrider([
      ...["crawl", ...seeds, ...NETWORK, ...NO_WINDOWS, "--data", folder.file("data"), "--json"],
      ...["--delay-ms", "100", "--delay-factor", "0"],
    ]);
    try {
      await until("half of the pages", () => sites.log.length > HOSTS.length * PAGES / 2);
      await gate.shut();
      assert.match(await crawl.line(/Waiting: /), /Nothing can be reached: \d hosts fail at once/);
      const asked = sites.log.length;
      await gate.reopen();
      const ended = await crawl.ended;
      assert.equal(ended.code, 0, ended.stderr);
      assertWhole(summaryOf(ended), sites);
      assert.ok(sites.log.length > asked);
    } finally {
      crawl.kill("SIGKILL");
      await crawl.ended;
      await gate.shut();
      await sites.close();
      await folder.remove();
    }
  },
  { timeoutMs: 60_000 },
);

test(
  "local trouble: an unhealthy edge says so to the coordinator, hands its hosts back, and takes leases again",
  async () => {
    const sites = await startSites(chain);
    const gate = await openGate(sites.port);
    const folder = temporaryFolder();
    const fleet = new Fleet({ folder, workers: ["eu-1"], edgeFlags: NETWORK, coordinatorFlags: NO_WINDOWS });
    const edges = async () => (await fleet.api("/v1/fleet")).edges as Record<string, unknown>[];
    try {
      await fleet.start();
      const seeds = HOSTS.map((host) => `http://${host}:${gate.port}/1`);
      const politeness = { delay_ms: 100, delay_factor: 0 };
      const crawlId = String((await fleet.api("/v1/crawls", { body: { seeds, politeness } })).crawl_id);
      await until("half of the pages", () => sites.log.length > HOSTS.length * PAGES / 2);
      await gate.shut();
      await until("word of the trouble", async () => (await edges())[0]?.unhealthy !== undefined);
      await until("the leases", async () => (await edges())[0]!.leases === 0);
      await until("the reason", async () => {
        const { reason } = await fleet.api(`/v1/crawls/${crawlId}/stats`);
        return /^waiting: edge eu-1 is unhealthy: Nothing can be reached/.test(String(reason));
      });
      for (const host of HOSTS) {
        const { clocks } = await fleet.api(`/v1/hosts/${host}`) as { clocks: Record<string, number> };
        assert.deepEqual([clocks.backoff_ms, clocks.failures_in_row], [0, 0], host);
      }
      await gate.reopen();
      assertWhole(await fleet.untilFinished(crawlId), sites);
      assert.equal((await edges())[0]!.unhealthy, undefined);
    } finally {
      await fleet.stop();
      await gate.shut();
      await sites.close();
      await folder.remove();
    }
  },
  { timeoutMs: 90_000 },
);

/** What the resolver does for a while: it answers that it can't, or (by hand: it takes 10 s more) nothing at all. */
const OUTAGE = process.env.OUTRIDER_TEST_SILENT === "1"
  ? "silence" as const
  : { records: [], code: "SERVFAIL" as const };

test(
  "local trouble: a resolver that answers no more costs no name an attempt",
  async () => {
    let isDown = false;
    const resolver = await startDnsServer(({ name, type }) => {
      if (isDown) return OUTAGE;
      if (!name.endsWith(".test")) return { records: [], code: "NXDOMAIN", negativeTtl: 60 };
      return { records: type === "A" ? [["A", name, "127.0.0.1", 60]] : [], negativeTtl: 60 };
    });
    // Each page leads to a host of its own, so that there is always a name to resolve.
    const sites = await startSites(({ host, path }) => {
      if (path === "/robots.txt") return missing();
      const [chainName, number] = [host[0], Number(/\d+/.exec(host)![0])];
      return number < 5 ? page(sites.url(`${chainName}${number + 1}.test`)) : page();
    });
    const folder = temporaryFolder();
    const seeds = ["a", "b", "c"].map((name) => sites.url(`${name}1.test`));
    const crawl = spawnOutrider([
      ...["crawl", ...seeds, "--scope", "any", "--resolver", resolver.address, "--allow-address", "127.0.0.1"],
      ...["--data", folder.file("data"), "--json", "--delay-ms", "100", ...NO_WINDOWS],
    ]);
    try {
      await until("some names", () => sites.log.length >= 12);
      isDown = true;
      assert.match(await crawl.line(/Waiting: /), /No resolver answers/);
      isDown = false;
      const ended = await crawl.ended;
      assert.equal(ended.code, 0, ended.stderr);
      const { state, fetched, dead, errors_by_class } = summaryOf(ended);
      assert.deepEqual([state, fetched, dead, errors_by_class], ["finished", 15, 0, {}]);
    } finally {
      crawl.kill("SIGKILL");
      await crawl.ended;
      await resolver.close();
      await sites.close();
      await folder.remove();
    }
  },
  { timeoutMs: 90_000 },
);

test(
  "local trouble: a blob store that takes nothing stops leasing, and no page is lost or counted as failed",
  async () => {
    const sites = await startSites(({ path }) => {
      if (path === "/robots.txt") return missing();
      return Number(path.slice(1)) < 4 ? page(`/${Number(path.slice(1)) + 1}`) : page();
    });
    const folder = temporaryFolder();
    const blobs = folder.file("blobs");
    mkdirSync(blobs);
    const edgeFlags = [...NETWORK, "--blobs", blobs];
    const fleet = new Fleet({ folder, workers: ["eu-1"], edgeFlags, coordinatorFlags: NO_WINDOWS });
    try {
      await fleet.start();
      const seeds = HOSTS.map((host) => sites.url(host, "/1"));
      const politeness = { delay_ms: 50, delay_factor: 0 };
      const crawlId = String((await fleet.api("/v1/crawls", { body: { seeds, politeness } })).crawl_id);
      const stats = () => fleet.api(`/v1/crawls/${crawlId}/stats`);
      await until("some pages", async () => Number((await stats()).fetched) >= HOSTS.length);
      // A file stands where the store was: nothing can be put below it.
      renameSync(blobs, `${blobs}.away`);
      writeFileSync(blobs, "");
      const edge = async () => ((await fleet.api("/v1/fleet")).edges as Record<string, unknown>[])[0]!;
      await until("word of the trouble", async () => (await edge()).unhealthy !== undefined);
      assert.match(String((await edge()).unhealthy), /blobs/);
      rmSync(blobs);
      renameSync(`${blobs}.away`, blobs);
      const { fetched, dead, errors_by_class } = await fleet.untilFinished(crawlId);
      assert.deepEqual([fetched, dead, errors_by_class], [4 * HOSTS.length, 0, {}]);
      assert.equal((await edge()).unhealthy, undefined);
    } finally {
      await fleet.stop();
      await sites.close();
      await folder.remove();
    }
  },
  { timeoutMs: 90_000 },
);

test("local trouble: a full disk stops leasing, and room on it is enough to go on", async () => {
  const sites = await startSites((asked, request) => {
    if (asked.path === "/robots.txt") return missing();
    const filler = Array.from({ length: 3_000 }, () => Math.random().toString(36)).join(" ");
    return request.end(page(`/${Number(asked.path.slice(1)) % PAGES + 1}`, `#${filler}`));
  });
  const folder = temporaryFolder();
  const disk = folder.file("disk");
  assert.ok(mountDisk(disk, "600k"));
  const seeds = HOSTS.map((host) => sites.url(host, "/1"));
  // The frontier lies on a disk with room; only the archive's is full.
  const command = [
    ...["crawl", ...seeds, ...NETWORK, ...NO_WINDOWS, "--data", folder.file("data"), "--json"],
    ...["--delay-ms", "50", "--delay-factor", "0"],
  ];
  mkdirSync(folder.file("data"));
  mkdirSync(folder.file("data/warc"));
  bindDisk(disk, folder.file("data/warc"));
  const crawl = spawnOutrider(command);
  try {
    assert.match(await crawl.line(/disk is full|ENOSPC/), /warc/);
    const asked = sites.log.length;
    resizeDisk(disk, "100m");
    const ended = await crawl.ended;
    assert.equal(ended.code, 0, ended.stderr);
    const { state, fetched, dead, errors_by_class } = summaryOf(ended);
    assert.deepEqual([state, fetched, dead, errors_by_class], ["finished", HOSTS.length * PAGES, 0, {}]);
    assert.ok(sites.log.length > asked);
  } finally {
    crawl.kill("SIGKILL");
    await crawl.ended;
    unmountDisk(folder.file("data/warc"));
    unmountDisk(disk);
    await sites.close();
    await folder.remove();
  }
}, { skip: MOUNT_ABSENT, timeoutMs: 90_000 });

const NOT_ASKED = process.env.OUTRIDER_TEST_FULL_DISK === "1" ? undefined : "by hand: OUTRIDER_TEST_FULL_DISK=1";

test(
  "local trouble: a disk that others have filled, frontier and index and all, is waited for until it has room",
  async () => {
    const sites = await startSites(chain);
    const folder = temporaryFolder();
    const disk = folder.file("disk");
    assert.ok(mountDisk(disk, "20m"));
    const seeds = HOSTS.map((host) => sites.url(host, "/1"));
    const crawl = spawnOutrider([
      ...["crawl", ...seeds, ...NETWORK, ...NO_WINDOWS, "--data", `${disk}/data`, "--json"],
      ...["--delay-ms", "300", "--delay-factor", "0"],
    ]);
    try {
      await until("the crawl to begin", () => sites.log.length > HOSTS.length);
      for (let full = 0; full < 3;) {
        try {
          appendFileSync(`${disk}/filler`, new Uint8Array(full === 0 ? 65_536 : 1));
        } catch {
          full++;
        }
      }
      await crawl.line(/disk is full|ENOSPC/);
      rmSync(`${disk}/filler`);
      const ended = await crawl.ended;
      assert.equal(ended.code, 0, ended.stderr);
      assertWhole(summaryOf(ended), sites);
    } finally {
      crawl.kill("SIGKILL");
      await crawl.ended;
      unmountDisk(disk);
      await sites.close();
      await folder.remove();
    }
  },
  { skip: MOUNT_ABSENT ?? NOT_ASKED, timeoutMs: 120_000 },
);
