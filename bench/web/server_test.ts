import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { request } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { test } from "../../tests/support/test.ts";
import { framingOf, ResponseCache, responseOf } from "./bodies.ts";
import { FINISHING, webConfig } from "./config.ts";
import type { WebConfig } from "./config.ts";
import { startWeb } from "./server.ts";
import type { RunningWeb } from "./server.ts";
import { resourceAt } from "./resources.ts";
import { pagesOf } from "./site.ts";
import { createWorld, pageKind, pagePath } from "./world.ts";
import type { World } from "./world.ts";

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

function ask(web: RunningWeb, host: number, path: string, headers = {}, method = "GET"): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const to = { host: "127.0.0.1", port: web.port, path, method, agent: false as const };
    request({ ...to, headers: { host: `h${host}.web.test`, ...headers } }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on(
        "end",
        () => resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) }),
      );
    }).on("error", reject).end();
  });
}

/** Bytes that the server sends on one connection until it closes or `ends` holds. */
function exchange(web: RunningWeb, sent: string, ends: (text: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(web.port, "127.0.0.1", () => socket.write(sent));
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      if (ends(text)) socket.destroy();
    });
    socket.on("error", reject).on("close", () => resolve(text));
  });
}

async function withWeb(config: Partial<WebConfig>, body: (web: RunningWeb) => Promise<void>): Promise<void> {
  const web = await startWeb({ hosts: 20, pages: 2000, pageKb: 4, ...config });
  try {
    await body(web);
  } finally {
    await web.close();
  }
}

/** A host and path of the first page of this kind. */
function find(world: World, kind: string): { host: number; path: string } {
  for (let host = 0; host < world.config.hosts; host++) {
    for (let local = 0; local < pagesOf(world.config, host); local++) {
      if (pageKind(world, host, local) === kind) return { host, path: pagePath(world, host, local) };
    }
  }
  throw new Error(`No ${kind} page was found on this web; its features must include one.`);
}

test("one seed is one web, byte for byte, on every runtime", () => {
  const world = createWorld(webConfig({ hosts: 7, pages: 400, pageKb: 2, features: FINISHING, port: 8080 }));
  const hash = createHash("sha256");
  for (let host = 0; host < 7; host++) {
    for (let local = 0; local < pagesOf(world.config, host); local++) {
      const resource = resourceAt(world, host, pagePath(world, host, local));
      hash.update(`${resource.path} ${resource.status} ${resource.location ?? ""}\n`);
      if (resource.status !== 200 || resource.kind === "broken_gzip") continue;
      hash.update(responseOf(world, resource, { coding: "identity", chunked: false }));
    }
  }
  assert.equal(hash.digest("hex"), "7c6a1468da7d0a7eac89b5bb6100d3374ab38772b1f559858a6ea8245eb879bb");
});

test("every coding and framing carries the same page", () =>
  withWeb({ features: ["encodings"] }, async (web) => {
    const seen = new Set<string>();
    for (let local = 0; local < 60; local++) {
      const path = pagePath(web.world, 0, local);
      const plain = await ask(web, 0, path);
      const { headers, body } = await ask(web, 0, path, { "accept-encoding": "gzip, deflate, br" });
      const coding = headers["content-encoding"] ?? "identity";
      const decode = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync }[coding];
      assert.deepEqual(decode ? decode(body) : body, plain.body);
      assert.notEqual(headers["transfer-encoding"] === undefined, headers["content-length"] === undefined);
      seen.add(`${coding} ${headers["transfer-encoding"] ?? "length"}`);
    }
    assert.ok(seen.size >= 6, [...seen].join(", "));
  }));

test("HEAD has no body; validators give 304; a method with a body is refused", () =>
  withWeb({}, async (web) => {
    const whole = await ask(web, 1, "/");
    const head = await ask(web, 1, "/", {}, "HEAD");
    assert.equal(head.headers["content-length"], String(whole.body.length));
    assert.equal(head.body.length, 0);
    const { etag, "last-modified": modified } = whole.headers;
    assert.equal((await ask(web, 1, "/", { "if-none-match": `"x", ${etag}` })).status, 304);
    assert.equal((await ask(web, 1, "/", { "if-none-match": '"x"', "if-modified-since": modified })).status, 200);
    assert.equal((await ask(web, 1, "/", { "if-modified-since": modified })).status, 304);
    assert.equal((await ask(web, 1, "/", {}, "POST")).status, 405);
  }));

test("a flaky page and a recovering robots.txt answer the second time, a failing page never", () =>
  withWeb({ features: ["failures", "robots_recovering", "robots_blocked"] }, async (web) => {
    const flaky = find(web.world, "flaky");
    const first = await ask(web, flaky.host, flaky.path);
    assert.deepEqual([first.status, first.headers["retry-after"]], [503, "1"]);
    assert.equal((await ask(web, flaky.host, flaky.path)).status, 200);
    const failing = find(web.world, "failing");
    for (let i = 0; i < 3; i++) assert.equal((await ask(web, failing.host, failing.path)).status, 500);
    const hostOf = (name: string) => [...Array(20).keys()].find((host) => web.world.robotsOf(host).name === name)!;
    const recovering = hostOf("recovering");
    assert.equal((await ask(web, recovering, "/robots.txt")).status, 503);
    assert.equal((await ask(web, recovering, "/robots.txt")).status, 200);
    await assert.rejects(ask(web, hostOf("dropped"), "/robots.txt"));
    assert.equal(web.log.entries.at(-1)!.status, 0);
    web.reset();
    assert.equal((await ask(web, recovering, "/robots.txt")).status, 503);
  }));

test("pipelined requests are answered in order, latency or not", () =>
  withWeb({ latencyMs: 5 }, async (web) => {
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: h0.web.test\r\nAccept-Encoding: gzip\r\n\r\n`;
    const text = await exchange(web, get("/missing-1") + get("/missing-2") + get("/missing-3"), (all) =>
      all.split("404\n").length === 4);
    assert.equal(text.match(/HTTP\/1\.1 404 Not Found/g)?.length, 3);
    assert.deepEqual(
      web.log.entries.map((entry) =>
        entry.path
      ),
      ["/missing-1", "/missing-2", "/missing-3"],
    );
    const [one, two] = web.log.entries;
    assert.ok(one!.endMs - one!.startMs >= 4 && two!.startMs >= one!.endMs);
  }));

test("what isn't HTTP is answered 400 and closed; absolute targets name their host", () =>
  withWeb({}, async (web) => {
    assert.match(await exchange(web, "hello\r\n\r\n", () => false), /^HTTP\/1\.1 400/);
    assert.match(await exchange(web, "GET / HTTP/1.1\r\nno colon\r\n\r\n", () => false), /^HTTP\/1\.1 400/);
    assert.match(await exchange(web, `GET /${"a".repeat(70_000)}`, () => false), /^HTTP\/1\.1 400/);
    const absolute = "GET http://h2.web.test/?utm_source=x HTTP/1.1\r\nHost: h1.web.test\r\nConnection: close\r\n\r\n";
    assert.match(await exchange(web, absolute, () => false), /^HTTP\/1\.1 200/);
    assert.deepEqual(web.log.entries.map((entry) => [entry.host, entry.path]), [[2, "/"]]);
  }));

test("the cache keeps to its bound, and an evicted page is made anew, the same", () => {
  const world = createWorld(webConfig({ hosts: 1, pages: 200, pageKb: 4 }));
  const cache = new ResponseCache(40_000);
  const get = (local: number) => {
    const resource = resourceAt(world, 0, pagePath(world, 0, local));
    return cache.get(world, resource, framingOf(world, resource, "gzip"));
  };
  const first = get(0);
  assert.equal(get(0), first);
  for (let local = 1; local < 200; local++) {
    get(local);
    assert.ok(cache.bytes <= 40_000);
  }
  const again = get(0);
  assert.notEqual(again, first);
  assert.deepEqual(again, first);
});
