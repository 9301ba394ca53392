import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { failed, get, testFetcher, text, whole } from "../support/fetching.ts";
import { type RawRequest, startRawServer } from "../support/raw_server.ts";
import { test } from "../support/test.ts";

const OK = "HTTP/1.1 200 OK\r\n";

/** Sends `piece` again and again, `everyMs` apart, until the client is gone. */
function drip(request: RawRequest, piece: string, everyMs: number): void {
  const timer = setInterval(() => void request.send(piece), everyMs);
  request.socket.on("close", () => clearInterval(timer));
}

async function against(
  answer: (request: RawRequest) => void | Promise<void>,
  limits: Parameters<typeof get>[1],
  onConnection?: Parameters<typeof startRawServer>[1],
) {
  const server = await startRawServer(answer, onConnection ?? {});
  const fetcher = testFetcher();
  const from = performance.now();
  try {
    const result = await fetcher.fetch(get(`${server.origin}/`, limits));
    return { result, tookMs: performance.now() - from };
  } finally {
    await fetcher.close();
    await server.close();
  }
}

test("a server that accepts and says nothing is a read timeout", async () => {
  const { result, tookMs } = await against(() => {}, { idleMs: 300 });
  const failure = failed(result);
  assert.deepEqual([failure.failure, failure.sent, failure.remoteAddress], ["read_timeout", true, "127.0.0.1"]);
  assert.match(failure.detail, /nothing came for 300 ms/);
  assert.ok(tookMs >= 300 && tookMs < 5_000, `${tookMs}`);
});

test("silence in the body keeps what came, marked as ended by time", async () => {
  const { result } = await against((request) => request.send(`${OK}Content-Length: 10\r\n\r\nhello`), { idleMs: 300 });
  const exchange = whole(result);
  assert.deepEqual([text(exchange.body), exchange.truncated], ["hello", "time"]);
});

test("E68: a slow drip ends at the wall clock, in the head and in the body", async () => {
  const limits = { idleMs: 5_000, wallMs: 600 };
  const head = await against((request) => {
    void request.send(OK);
    drip(request, "X-A: b\r\n", 50);
  }, limits);
  assert.equal(failed(head.result).failure, "wall_timeout");
  const body = await against((request) => {
    void request.send(`${OK}\r\n`);
    drip(request, "x", 50);
  }, limits);
  const exchange = whole(body.result);
  assert.equal(exchange.truncated, "time");
  assert.ok(exchange.body.length > 0);
  for (const { tookMs } of [head, body]) assert.ok(tookMs >= 600 && tookMs < 5_000, `${tookMs}`);
});

test("a cut gzip body gives the part that decodes", async () => {
  const page = "lorem ipsum dolor ".repeat(5_000) + Array.from({ length: 5_000 }, (_, i) => i * 7919 % 10007).join(" ");
  const body = gzipSync(page);
  const { result } = await against(async (request) => {
    await request.send(`${OK}Content-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`);
    request.end(body.subarray(0, body.length >> 1));
  }, {});
  const exchange = whole(result);
  assert.equal(exchange.truncated, "disconnect");
  assert.ok(exchange.decoded.length > 50_000 && page.startsWith(text(exchange.decoded)));
  assert.match(exchange.decodeProblem!, /before the end of its gzip stream/);
});

test("resets and closings at every stage have their class", async () => {
  const reset = (request: RawRequest) => request.reset();
  const cases: [string, Parameters<typeof against>[0], Parameters<typeof startRawServer>[1], string][] = [
    ["at accept", () => {}, { onConnection: (socket) => socket.destroy() }, "connect_reset"],
    ["after the request", reset, {}, "connect_reset"],
    ["closed after the request", (request) => request.end(), {}, "connect_reset"],
    ["in the head", (request) => request.send(`${OK}X: `).then(() => request.end()), {}, "connect_reset"],
    ["reset in the head", (request) => request.send(`${OK}X: `).then(() => reset(request)), {}, "connect_reset"],
  ];
  for (const [name, answer, options, wanted] of cases) {
    const failure = failed((await against(answer, {}, options)).result);
    assert.equal(failure.failure, wanted, `${name}: ${failure.detail}`);
    assert.equal(failure.sent, true, name);
  }
});

test("a reset in the body keeps what came", async () => {
  const framings = [`${OK}Content-Length: 10\r\n\r\nhello`, `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`];
  for (const start of [...framings, `${OK}\r\nhello`]) {
    const { result } = await against(async (request) => {
      await request.send(start);
      // The kernel may drop unread data with a reset, so the client gets its time to read.
      await new Promise<void>((resolve) => setTimeout(resolve, 100));
      request.reset();
    }, {});
    const exchange = whole(result);
    assert.deepEqual([text(exchange.body), exchange.truncated], ["hello", "disconnect"], start);
  }
});

test("a port on which nobody listens is connect_refused", async () => {
  const server = await startRawServer(() => {});
  await server.close();
  const fetcher = testFetcher();
  const failure = failed(await fetcher.fetch(get(`${server.origin}/`)));
  assert.deepEqual([failure.failure, failure.sent, failure.remoteAddress], ["connect_refused", true, "127.0.0.1"]);
  assert.match(failure.detail, /Connecting to http:\/\/127\.0\.0\.1:\d+ at 127\.0\.0\.1 failed with ECONNREFUSED/);
  await fetcher.close();
});

test("a caller's abort ends the fetch at once, before and after the head", async () => {
  const server = await startRawServer((request) => request.path === "/body" ? request.send(`${OK}\r\nx`) : undefined);
  const fetcher = testFetcher();
  for (const path of ["/head", "/body"]) {
    const stop = new AbortController();
    const pending = fetcher.fetch(get(`${server.origin}${path}`, {}, { signal: stop.signal }));
    setTimeout(() => stop.abort(), 100);
    const result = await pending;
    if (path === "/head") assert.equal(failed(result).failure, "aborted");
    else assert.equal(whole(result).truncated, "time");
  }
  const before = failed(await fetcher.fetch(get(`${server.origin}/`, {}, { signal: AbortSignal.abort() })));
  assert.deepEqual([before.failure, before.sent], ["aborted", false]);
  await fetcher.close();
  await server.close();
});

test("close ends what is under way, and nothing can be fetched afterwards", async () => {
  const server = await startRawServer(() => {});
  const fetcher = testFetcher({ maxSocketsPerOrigin: 2 });
  const pending = Array.from({ length: 5 }, () => fetcher.fetch(get(`${server.origin}/`)));
  const first = await Promise.race([...pending, new Promise((resolve) => setTimeout(() => resolve("pending"), 100))]);
  assert.equal(first, "pending");
  await fetcher.close();
  for (const result of await Promise.all(pending)) assert.equal(failed(result).failure, "aborted");
  await assert.rejects(fetcher.fetch(get(`${server.origin}/`)), /is closed/);
  await server.close();
});
