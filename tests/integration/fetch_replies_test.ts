import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import type { Exchange, FetchFailure, FetchRequest } from "../../edge/ports.ts";
import { failed, get, TEST_HEADERS, testFetcher, text, whole } from "../support/fetching.ts";
import { type RawRequest, startRawServer } from "../support/raw_server.ts";
import { test } from "../support/test.ts";

type Answer = string | Uint8Array | ((request: RawRequest) => void | Promise<void>);
type Limits = Partial<FetchRequest["limits"]>;

/** One fetch of `/` from a server that sends `answer` and then closes. */
async function ask(answer: Answer, limits: Limits = {}, more: Partial<FetchRequest> = {}) {
  const server = await startRawServer((request) =>
    typeof answer === "function" ? answer(request) : request.end(answer)
  );
  const fetcher = testFetcher();
  try {
    const result: Exchange | FetchFailure = await fetcher.fetch(get(`${server.origin}/`, limits, more));
    return { result, server };
  } finally {
    await fetcher.close();
    await server.close();
  }
}

const exchangeOf = async (answer: Answer, limits: Limits = {}) => whole((await ask(answer, limits)).result);
const failureOf = async (answer: Answer, limits: Limits = {}) => failed((await ask(answer, limits)).result);

const OK = "HTTP/1.1 200 OK\r\n";

test("the request head is reported exactly as it was sent, headers in the caller's order", async () => {
  const { result, server } = await ask(`${OK}Content-Length: 0\r\n\r\n`);
  const head = text(whole(result).requestHead);
  assert.equal(head, server.heads[0]);
  const lines = head.split("\r\n");
  assert.equal(lines[0], "GET / HTTP/1.1");
  assert.equal(lines[1]!.toLowerCase(), `host: 127.0.0.1:${server.port}`);
  const own = TEST_HEADERS.map(([name, value]) => `${name}: ${value}`);
  assert.deepEqual(lines.filter((line) => own.includes(line)), own);
  // Beyond Host and the caller's, the client adds Connection and nothing else.
  const others = lines.slice(2).filter((line) => line !== "" && !own.includes(line));
  assert.deepEqual(others, ["connection: keep-alive"]);
});

test("path and query are sent as they are, the fragment isn't", async () => {
  const server = await startRawServer((request) => request.send(`${OK}Content-Length: 0\r\n\r\n`));
  const fetcher = testFetcher();
  for (const path of ["/a%2Fb/?q=%7e&x=+", "//double//", "/?a?b/c", "/%C3%A9;p=1"]) {
    whole(await fetcher.fetch(get(`${server.origin}${path}#part`)));
    assert.equal(server.heads.at(-1)!.split(" ")[1], path);
  }
  await fetcher.close();
  await server.close();
});

test("response headers keep order, case, repeats and bytes", async () => {
  const head = `${OK}X-B: 1\r\nx-a:  2 \r\nX-B: 3\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-L: caf\xe9\r\n` +
    "__proto__: x\r\nContent-Length: 2\r\n\r\nhi";
  const { headers, body, status, reason, httpVersion } = await exchangeOf(
    Uint8Array.from(head, (c) => c.charCodeAt(0)),
  );
  assert.deepEqual([status, reason, httpVersion, text(body)], [200, "OK", "1.1", "hi"]);
  assert.deepEqual(headers.map(([name, value]) => [name, value.trim()]), [
    ["X-B", "1"],
    ["x-a", "2"],
    ["X-B", "3"],
    ["Set-Cookie", "a=1"],
    ["Set-Cookie", "b=2"],
    ["X-L", "caf\xe9"],
    ["__proto__", "x"],
    ["Content-Length", "2"],
  ]);
});

test("bodies end by length, by chunks or by the connection's end, and in HTTP/1.0", async () => {
  const cases: [string, string, string][] = [
    [`${OK}Content-Length: 5\r\n\r\nhello`, "hello", "1.1"],
    [`${OK}Transfer-Encoding: chunked\r\n\r\n2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\nX-Trailer: 1\r\n\r\n`, "hello", "1.1"],
    [`${OK}\r\nhello`, "hello", "1.1"],
    ["HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\nhello", "hello", "1.0"],
    ["HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello", "hello", "1.1"],
    // Carelessly spelt, and yet there is one way to read it (RFC 9112 2.2 and 5.2).
    ["HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", "hello", "1.1"],
    [`${OK}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello`, "hello", "1.1"],
    [`${OK}X: a\r\n\tb\r\nContent-Length: 5\r\n\r\nhello`, "hello", "1.1"],
    [`${OK}Transfer-Encoding: chunked\r\n\r\n5  \r\nhello\r\n0\r\n\r\n`, "hello", "1.1"],
    ["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello", "1.1"],
    ["HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello", "1.1"],
  ];
  for (const [answer, body, version] of cases) {
    const exchange = await exchangeOf(answer);
    assert.deepEqual(
      [text(exchange.body), exchange.httpVersion, exchange.truncated],
      [body, version, undefined],
      answer,
    );
    assert.equal(text(exchange.decoded), body);
  }
});

test("E75: statuses without a body, and 401 without WWW-Authenticate, are plain exchanges", async () => {
  for (const status of [204, 304, 401, 404, 407, 451, 500, 999]) {
    const length = status === 204 || status === 304 ? "" : "Content-Length: 0\r\n";
    const exchange = await exchangeOf(`HTTP/1.1 ${status} X\r\n${length}\r\n`);
    assert.deepEqual([exchange.status, exchange.body.length, exchange.truncated], [status, 0, undefined]);
  }
});

test("a redirect is the caller's: one request, the answer as it is", async () => {
  const { result, server } = await ask("HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n");
  assert.equal(whole(result).status, 302);
  assert.equal(server.heads.length, 1);
});

test("more bytes than Content-Length says: the body is what it says, the rest poisons no later answer", async () => {
  const server = await startRawServer((request) =>
    void request.send(`${OK}Content-Length: 2\r\n\r\nhiHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`)
  );
  const fetcher = testFetcher();
  for (let i = 0; i < 5; i++) {
    const exchange = whole(await fetcher.fetch(get(`${server.origin}/${i}`)));
    assert.equal(text(exchange.body), "hi");
  }
  await fetcher.close();
  await server.close();
});

test("fewer bytes than promised are kept and marked as a disconnect", async () => {
  const cases = [
    `${OK}Content-Length: 50\r\n\r\npartial`,
    `${OK}Transfer-Encoding: chunked\r\n\r\n7\r\npartial\r\n`,
    `${OK}Transfer-Encoding: chunked\r\n\r\n20\r\npartial`,
  ];
  for (const answer of cases) {
    const exchange = await exchangeOf(answer);
    assert.deepEqual(
      [text(exchange.body), exchange.truncated, exchange.status],
      ["partial", "disconnect", 200],
      answer,
    );
  }
  const empty = await exchangeOf(`${OK}Content-Length: 50\r\n\r\n`);
  assert.deepEqual([empty.body.length, empty.truncated], [0, "disconnect"]);
});

test("replies that are no HTTP, or say two lengths, are protocol failures", async () => {
  const cases = [
    "SSH-2.0-OpenSSH_9.6\r\n",
    "<html>no head</html>\r\n\r\n",
    "HTTP/1.1 abc OK\r\n\r\n",
    `${OK}Bad Name: 1\r\nContent-Length: 0\r\n\r\n`,
    `${OK}no colon\r\n\r\n`,
    `${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`,
    `${OK}Content-Length: 5\r\nTransfer-Encoding: gzip\r\n\r\nhello`,
    `${OK}Content-Length: -1\r\n\r\n`,
    `${OK}Content-Length: 99999999999999999999999\r\n\r\nx`,
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
  ];
  for (const answer of cases) {
    const failure = await failureOf(answer);
    assert.equal(failure.failure, "protocol", `${answer}: ${failure.detail}`);
    assert.match(failure.detail, /^Fetching http:\/\/127\.0\.0\.1:\d+\/ failed: .+\.$/s);
    assert.deepEqual([failure.sent, failure.remoteAddress], [true, "127.0.0.1"]);
  }
});

test("chunks that break off into nonsense keep what came before", async () => {
  const exchange = await exchangeOf(`${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n`);
  assert.equal(text(exchange.body), "hello");
  assert.ok(exchange.truncated !== undefined);
});

test("heads are bounded: big fields, many fields, endless reason, endless interim responses", async () => {
  const limits = { headerBytes: 16 * 1024 };
  const flood = (line: (i: number) => string, start = OK) => async (request: RawRequest) => {
    await request.send(start);
    for (let i = 0; i < 20_000 && !request.socket.destroyed; i++) await request.send(line(i).repeat(100));
    request.end();
  };
  const cases: Answer[] = [
    `${OK}X: ${"a".repeat(40_000)}\r\n\r\n`,
    flood((i) => `X-${i}: y\r\n`),
    flood(() => "a", `${OK}X: `),
    flood(() => "a", "HTTP/1.1 200 "),
    flood(() => "HTTP/1.1 103 Early Hints\r\n\r\n", ""),
  ];
  for (const [i, answer] of cases.entries()) {
    const failure = await failureOf(answer, limits);
    assert.equal(failure.failure, "header_too_large", `case ${i}: ${failure.detail}`);
  }
  const many = Array.from({ length: 300 }, (_, i) => `X-${i}: ${i}\r\n`).join("");
  assert.equal((await exchangeOf(`${OK}${many}Content-Length: 0\r\n\r\n`)).headers.length, 301);
});

test("E65: a body exactly at the limit is whole; one byte more is cut there and marked", async () => {
  const size = 100_000;
  const framings: [string, (body: string) => string][] = [
    ["length", (body) => `${OK}Content-Length: ${body.length}\r\n\r\n${body}`],
    ["chunked", (body) => `${OK}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`],
    ["close", (body) => `${OK}\r\n${body}`],
  ];
  for (const [name, framed] of framings) {
    const exact = await exchangeOf(framed("x".repeat(size)), { wireBytes: size });
    assert.deepEqual([exact.body.length, exact.truncated], [size, undefined], name);
    const over = await exchangeOf(framed("x".repeat(size + 1)), { wireBytes: size });
    assert.deepEqual([over.body.length, over.truncated], [size, "length"], name);
  }
});

test("E65: the decoded limit is exact too, and its marks are set", async () => {
  const page = new Uint8Array(50_000).fill(97);
  const body = gzipSync(page);
  const head = `${OK}Content-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`;
  const answer = (request: RawRequest) => void request.send(head).then(() => request.end(body));
  const exact = await exchangeOf(answer, { decodedBytes: page.length });
  assert.deepEqual([exact.decoded.length, exact.truncated, exact.decodeProblem], [page.length, undefined, undefined]);
  assert.deepEqual(exact.body, new Uint8Array(body));
  const over = await exchangeOf(answer, { decodedBytes: page.length - 1 });
  assert.deepEqual([over.decoded.length, over.truncated], [page.length - 1, "length"]);
  assert.match(over.decodeProblem!, /limit/);
});

test("an endless body stops at the wire limit", async () => {
  const block = new Uint8Array(64 * 1024).fill(97);
  let sent = 0;
  const exchange = await exchangeOf(async (request) => {
    await request.send(`${OK}\r\n`);
    while (!request.socket.destroyed) {
      await request.send(block);
      sent += block.length;
    }
  }, { wireBytes: 1_000_000 });
  assert.deepEqual([exchange.body.length, exchange.truncated], [1_000_000, "length"]);
  assert.ok(sent < 50_000_000, `the server could send ${sent} bytes`);
});

test("URLs and headers that HTTP can't carry are failures without a packet", async () => {
  const server = await startRawServer((request) => request.send(`${OK}Content-Length: 0\r\n\r\n`));
  const fetcher = testFetcher();
  const urls = ["ftp://127.0.0.1/", "file:///etc/passwd", "data:text/plain,x", "not a url", "", "http://", "/path"];
  for (const url of [...urls, `http://user:pw@127.0.0.1:${server.port}/`, "http://127.0.0.1:99999/"]) {
    const { failure, sent } = failed(await fetcher.fetch(get(url)));
    assert.deepEqual([failure, sent], ["bad_url", false], url);
  }
  const unsendable = [["X", "a\r\nY: b"], ["Bad Name", "x"], ["Host", "evil\r\n"], ["X", "€"], ["", "x"]] as const;
  const notTheirs = ["host", "Connection", "Content-Length", "transfer-encoding", "Upgrade", "Expect"];
  for (const header of [...unsendable, ...notTheirs.map((name) => [name, "0"] as const)]) {
    const { failure, sent } = failed(await fetcher.fetch(get(`${server.origin}/`, {}, { headers: [header] })));
    assert.deepEqual([failure, sent], ["bad_url", false], header.join());
  }
  assert.equal(server.heads.length, 0);
  assert.equal(whole(await fetcher.fetch(get(`${server.origin}/`))).status, 200);
  await fetcher.close();
  await server.close();
});
