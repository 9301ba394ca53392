import assert from "node:assert/strict";
import { createGzip, gzipSync } from "node:zlib";
import { failed, get, testFetcher, text, whole } from "../support/fetching.ts";
import { type RawRequest, startRawServer } from "../support/raw_server.ts";
import { test } from "../support/test.ts";

/** A page that only this path has, so that answers that are swapped are seen. */
const pageOf = (path: string) => `${path} `.repeat(500);

function answer(request: RawRequest): void {
  const body = gzipSync(pageOf(request.path));
  const close = request.nth % 7 === 0 ? "Connection: close\r\n" : "";
  const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n${close}Content-Length: ${body.length}\r\n\r\n`;
  const bytes = Uint8Array.from([...new TextEncoder().encode(head), ...body]);
  if (close) request.end(bytes);
  else void request.send(bytes);
}

test("50 runs of 300 requests over kept connections: every answer is its own", async () => {
  const server = await startRawServer(answer);
  const fetcher = testFetcher({ maxSocketsPerOrigin: 16 });
  for (let run = 0; run < 50; run++) {
    const paths = Array.from({ length: 300 }, (_, i) => `/${run}/${i}`);
    const exchanges = await Promise.all(paths.map((path) => fetcher.fetch(get(server.origin + path))));
    exchanges.forEach((exchange, i) => assert.equal(text(whole(exchange).decoded), pageOf(paths[i]!)));
  }
  assert.equal(server.heads.length, 15_000);
  // One connection in seven requests is closed by the server; the others are kept.
  assert.ok(server.connections < 15_000 / 6, `${server.connections} connections`);
  await fetcher.close();
  await server.close();
}, { timeoutMs: 240_000 });

test("connections to one origin are bounded, also when all are asked for at once", async () => {
  let open = 0;
  let most = 0;
  const server = await startRawServer((request) => {
    setTimeout(() => void request.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), 5);
  }, {
    onConnection: (socket) => {
      most = Math.max(most, ++open);
      socket.on("close", () => open--);
    },
  });
  const fetcher = testFetcher({ maxSocketsPerOrigin: 3 });
  const all = await Promise.all(Array.from({ length: 30 }, (_, i) => fetcher.fetch(get(`${server.origin}/${i}`))));
  for (const exchange of all) assert.equal(whole(exchange).status, 200);
  assert.deepEqual([most, server.connections], [3, 3]);
  await fetcher.close();
  await server.close();
});

test("idle connections are bounded over thousands of origins", async () => {
  let open = 0;
  const server = await startRawServer(
    (request) => void request.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"),
    {
      onConnection: (socket) => {
        open++;
        socket.on("close", () => open--);
      },
    },
  );
  const fetcher = testFetcher({ lookup: () => Promise.resolve(["127.0.0.1"]), maxIdleSockets: 20 });
  for (let batch = 0; batch < 20; batch++) {
    const urls = Array.from({ length: 50 }, (_, i) => `http://h${batch}-${i}.test:${server.port}/`);
    for (const exchange of await Promise.all(urls.map((url) => fetcher.fetch(get(url))))) whole(exchange);
  }
  assert.equal(server.connections, 1000);
  assert.ok(open < 120, `${open} connections are open`);
  await fetcher.close();
  await server.close();
});

test("a kept connection that the server closed meanwhile costs no request", async () => {
  const server = await startRawServer((request) => {
    void request.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
    if (request.nth === 1) setTimeout(() => request.end(), 10);
  });
  const fetcher = testFetcher();
  for (let i = 0; i < 4; i++) {
    assert.equal(whole(await fetcher.fetch(get(`${server.origin}/${i}`))).status, 200);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  assert.deepEqual([server.heads.length, server.connections], [4, 4]);
  await fetcher.close();
  await server.close();
});

const HELLO = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("bytes that nobody asked for end an idle connection and are no answer to the next request", async () => {
  const evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil";
  for (const unsolicited of [evil, "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n", "\r\n", "x"]) {
    let closed = 0;
    const server = await startRawServer((request) => {
      void request.send(HELLO).then(() => pause(20)).then(() => request.send(unsolicited));
    }, { onConnection: (socket) => socket.on("close", () => closed++) });
    const fetcher = testFetcher();
    for (let i = 0; i < 3; i++) {
      assert.equal(text(whole(await fetcher.fetch(get(`${server.origin}/${i}`))).body), "hello");
      while (closed === i) await pause(5);
    }
    assert.deepEqual([server.heads.length, server.connections], [3, 3], JSON.stringify(unsolicited));
    await fetcher.close();
    await server.close();
  }
});

test("an idle connection ends when its time is over, ours or the server's", async () => {
  const cases: [string, number, boolean][] = [["", 10_000, true], ["", 40, false], ["timeout=1", 10_000, false], [
    "timeout=600",
    40,
    false,
  ]];
  for (const [keepAlive, keepAliveMs, kept] of cases) {
    let closed = 0;
    const field = keepAlive === "" ? "" : `Keep-Alive: ${keepAlive}\r\n`;
    const server = await startRawServer(
      (request) => void request.send(`HTTP/1.1 200 OK\r\n${field}Content-Length: 0\r\n\r\n`),
      { onConnection: (socket) => socket.on("close", () => closed++) },
    );
    const fetcher = testFetcher({ keepAliveMs });
    whole(await fetcher.fetch(get(`${server.origin}/0`)));
    await pause(80);
    whole(await fetcher.fetch(get(`${server.origin}/1`)));
    assert.equal(server.connections, kept ? 1 : 2, `${keepAlive} ${keepAliveMs}`);
    // Nobody asks again: the sweep closes it.
    while (!kept && closed < 2) await pause(20);
    await fetcher.close();
    await server.close();
  }
});

const TIMED_OUT = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

test("the fetcher sends no request twice: one that a kept connection took with it is told as lost", async () => {
  const endings: [(request: RawRequest) => void, true | undefined][] = [
    [(request) => request.end(), true],
    [(request) => request.reset(), true],
    [(request) => request.end(TIMED_OUT), true],
    [(request) => request.end("HTTP/1.1 200 O"), undefined],
    [(request) => request.end("SSH-2.0-nothing"), undefined],
  ];
  for (const [end, wanted] of endings) {
    const server = await startRawServer((request) => request.nth === 1 ? void request.send(HELLO) : end(request));
    const fetcher = testFetcher();
    whole(await fetcher.fetch(get(`${server.origin}/0`)));
    const { lost, sent } = failed(await fetcher.fetch(get(`${server.origin}/1`)));
    assert.deepEqual([lost, sent, server.heads.length], [wanted, true, 2], String(end));
    await fetcher.close();
    await server.close();
  }
});

test("what a new connection brings is an answer, and never lost: its end, and 408", async () => {
  for (const bytes of ["", TIMED_OUT]) {
    const server = await startRawServer((request) => request.end(bytes));
    const fetcher = testFetcher();
    const answer = await fetcher.fetch(get(`${server.origin}/`));
    assert.equal(answer.ok ? answer.status : answer.lost, bytes === "" ? undefined : 408);
    await fetcher.close();
    await server.close();
  }
});

test("an origin that ends kept connections on requests loses one for each that was kept, and gets new ones from then on", async () => {
  const server = await startRawServer((request) => request.nth === 1 ? void request.send(HELLO) : request.end());
  const fetcher = testFetcher();
  const all = (n: number) =>
    Promise.all(Array.from({ length: n }, (_, i) => fetcher.fetch(get(`${server.origin}/${i}`))));
  for (const one of await all(3)) whole(one);
  assert.equal(failed(await fetcher.fetch(get(`${server.origin}/lost`))).lost, true);
  for (let i = 0; i < 20; i++) whole(await fetcher.fetch(get(`${server.origin}/${i}`)));
  for (const one of await all(8)) whole(one);
  assert.deepEqual([server.heads.length, server.connections], [32, 31]);
  await fetcher.close();
  await server.close();
});

test("a request that is given up before it is written on a kept connection was not sent", async () => {
  const server = await startRawServer((request) => void request.send(HELLO));
  const fetcher = testFetcher();
  whole(await fetcher.fetch(get(`${server.origin}/0`)));
  const stop = new AbortController();
  let sends = 0;
  const pending = fetcher.fetch(get(`${server.origin}/1`, {}, { signal: stop.signal, onSent: () => void sends++ }));
  stop.abort();
  const { failure, sent } = failed(await pending);
  assert.deepEqual([failure, sent, sends, server.heads.length], ["aborted", false, 0, 1]);
  await fetcher.close();
  await server.close();
});

test("a 200 MB gzip bomb that is made as it is sent stops at the decoded limit", async () => {
  const server = await startRawServer(async (request) => {
    await request.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n");
    const gzip = createGzip({ level: 1 });
    gzip.on("data", (chunk: Uint8Array) => void request.send(chunk));
    gzip.on("end", () => request.end());
    request.socket.on("close", () => gzip.destroy());
    gzip.on("error", () => {});
    const block = new Uint8Array(1_000_000);
    for (let i = 0; i < 200 && !gzip.destroyed; i++) {
      await new Promise<void>((resolve) => gzip.write(block, () => resolve()));
    }
    gzip.end();
  });
  const fetcher = testFetcher();
  const exchange = whole(await fetcher.fetch(get(`${server.origin}/`, { decodedBytes: 2_000_000 })));
  assert.deepEqual([exchange.decoded.length, exchange.truncated], [2_000_000, "length"]);
  assert.match(exchange.decodeProblem!, /limit of 2000000 bytes/);
  await fetcher.close();
  await server.close();
});
