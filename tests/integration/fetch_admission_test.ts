/**
 * An address is asked for before anything is sent to it: before a connection, and before a kept one is used.
 */

import assert from "node:assert/strict";
import { failed, get, testFetcher, whole } from "../support/fetching.ts";
import { page, startSites } from "../support/scripted_sites.ts";
import { test } from "../support/test.ts";

test("admission: a refused address gets no connection, and the fetch is put off, not failed", async () => {
  const site = await startSites(() => page());
  const fetcher = testFetcher();
  try {
    const asked: string[] = [];
    const admitAddress = (address: string) => {
      asked.push(address);
      return Promise.resolve(false);
    };
    const { failure, sent } = failed(await fetcher.fetch(get(site.url("127.0.0.1"), {}, { admitAddress })));
    assert.deepEqual([failure, sent, asked, site.server.connections], ["aborted", false, ["127.0.0.1"], 0]);
  } finally {
    await fetcher.close();
    await site.close();
  }
});

test("admission: of several addresses the next one is tried", async () => {
  const site = await startSites(() => page(), "127.0.0.2");
  const fetcher = testFetcher({ lookup: () => Promise.resolve(["127.0.0.3", "127.0.0.2"]) });
  try {
    const admitAddress = (address: string) => Promise.resolve(address !== "127.0.0.3");
    const { remoteAddress } = whole(await fetcher.fetch(get(site.url("two.test"), {}, { admitAddress })));
    assert.equal(remoteAddress, "127.0.0.2");
  } finally {
    await fetcher.close();
    await site.close();
  }
});

test("admission: a kept connection is asked for again, and stays for others when refused", async () => {
  const site = await startSites(async (_, request) => {
    await request.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  const fetcher = testFetcher();
  try {
    const url = site.url("127.0.0.1");
    whole(await fetcher.fetch(get(url, {}, { admitAddress: () => true })));
    const { failure, sent } = failed(await fetcher.fetch(get(url, {}, { admitAddress: async () => false })));
    assert.deepEqual([failure, sent], ["aborted", false]);
    whole(await fetcher.fetch(get(url, {}, { admitAddress: () => true })));
    assert.deepEqual([site.log.length, site.server.connections], [2, 1]);
  } finally {
    await fetcher.close();
    await site.close();
  }
});

test("admission: the time that it takes is no connect time, and a fetch that ends meanwhile sends nothing", async () => {
  const site = await startSites(() => page());
  const fetcher = testFetcher();
  try {
    const slow = () => new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 400));
    const { timings } = whole(
      await fetcher.fetch(get(site.url("127.0.0.1"), { connectMs: 300 }, { admitAddress: slow })),
    );
    assert.ok(timings.connectMs! < 300 && timings.totalMs >= 390, JSON.stringify(timings));
    const never = () => new Promise<boolean>(() => {});
    const signal = AbortSignal.timeout(50);
    const given = failed(await fetcher.fetch(get(site.url("127.0.0.1"), {}, { admitAddress: never, signal })));
    assert.deepEqual([given.failure, given.sent, site.log.length], ["aborted", false, 1]);
  } finally {
    await fetcher.close();
    await site.close();
  }
});

test("admission: what it takes so long to get that the request is too late isn't used, on new and kept connections", async () => {
  const site = await startSites(async (_, request) => {
    await request.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  const fetcher = testFetcher();
  try {
    const url = site.url("127.0.0.1");
    const late = () => {
      const sendBy = performance.now() + 100;
      const admitAddress = () => new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 150));
      return fetcher.fetch(get(url, {}, { admitAddress, sendBy }));
    };
    const onNew = failed(await late());
    assert.deepEqual([onNew.failure, onNew.sent, site.server.connections], ["aborted", false, 0]);
    whole(await fetcher.fetch(get(url, {}, { sendBy: performance.now() + 5_000 })));
    const onKept = failed(await late());
    assert.deepEqual([onKept.failure, onKept.sent, site.log.length], ["aborted", false, 1]);
    whole(await fetcher.fetch(get(url)));
    assert.deepEqual([site.log.length, site.server.connections], [2, 1], "it stays for others");
  } finally {
    await fetcher.close();
    await site.close();
  }
});

test("admission: a connection that was waited for was opened by another, so its address is asked for", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => release = resolve);
  const site = await startSites(async ({ path }, request) => {
    if (path === "/held") await held;
    await request.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  const fetcher = testFetcher({ maxSocketsPerOrigin: 1 });
  try {
    const first = fetcher.fetch(get(site.url("127.0.0.1", "/held")));
    while (site.log.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    const second = fetcher.fetch(get(site.url("127.0.0.1", "/second"), {}, { admitAddress: async () => false }));
    release();
    whole(await first);
    assert.equal(failed(await second).sent, false);
    assert.deepEqual(site.log.map(({ path }) => path), ["/held"]);
  } finally {
    await fetcher.close();
    await site.close();
  }
});
