import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { test } from "../../tests/support/test.ts";
import type { ResponseHead } from "./response_head.ts";
import { ResponseReader, type Step } from "./response_reader.ts";

interface Outcome {
  readonly step: Step;
  readonly head: ResponseHead | undefined;
  readonly body: string;
  readonly persistent: boolean;
}

/** Reads `pieces`, then the end of the connection where `ends` is set, until the response is settled. */
function outcomeOf(pieces: readonly Uint8Array[], { ends = false, headerBytes = 4096 } = {}): Outcome {
  let head: ResponseHead | undefined;
  const parts: Uint8Array[] = [];
  const reader = new ResponseReader(headerBytes, {
    onHead: (found) => {
      assert.equal(head, undefined, "a response has one final head");
      head = found;
    },
    onData: (bytes) => void parts.push(bytes),
  });
  let step: Step = "more";
  for (const piece of pieces) {
    step = reader.read(Buffer.from(piece));
    if (step !== "more") break;
  }
  if (step === "more" && ends) step = reader.end();
  const body = Buffer.concat(parts).toString("latin1");
  return { step, head, body, persistent: step === "done" && reader.persistent };
}

const bytes = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const read = (text: string, options?: Parameters<typeof outcomeOf>[1]) => outcomeOf([bytes(text)], options);
const OK = "HTTP/1.1 200 OK\r\n";

const RESPONSES = [
  `${OK}Content-Length: 5\r\n\r\nhello`,
  `${OK}Content-Length: 0\r\n\r\n`,
  `${OK}Transfer-Encoding: chunked\r\n\r\n5;a="b\r\nhello\r\n00001 \r\n!\r\n0\r\nT: u\r\n\r\n`,
  `\r\n${OK}X: a\r\n  b\r\n\r\nto the end`,
  "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: </x>\r\n\r\nHTTP/1.0 404 No\r\n\r\nnothing",
  "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n3\nabc\n0\n\n",
  "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
  `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhelloX\r\n`,
  `${OK}no colon\r\n\r\n`,
  "SSH-2.0-OpenSSH_9.6\r\n",
];

/** The outcome without what a failure quotes: as much as had come. */
const judged = ({ step, ...rest }: Outcome) => ({ ...rest, step: typeof step === "object" ? step.failure : step });

test("however a response is cut, it is read the same", () => {
  fc.assert(
    fc.property(fc.constantFrom(...RESPONSES), fc.array(fc.nat(200), { maxLength: 12 }), (text, cuts) => {
      const whole = bytes(text);
      const at = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length];
      const pieces = at.slice(1).map((end, i) => whole.subarray(at[i], end));
      assert.deepEqual(judged(outcomeOf(pieces, { ends: true })), judged(outcomeOf([whole], { ends: true })));
    }),
    { seed: 20_261_130, numRuns: 500 },
  );
  for (const text of RESPONSES) {
    const single = [...bytes(text)].map((byte) => Uint8Array.of(byte));
    assert.deepEqual(judged(outcomeOf(single, { ends: true })), judged(read(text, { ends: true })), text);
  }
});

test("a connection is kept only where both sides agree on where the response ended", () => {
  const cases: [string, boolean][] = [
    [`${OK}Content-Length: 2\r\n\r\nhi`, true],
    [`${OK}Content-Length: 2\r\n\r\nhi!`, false],
    [`${OK}Content-Length: 2\r\nConnection: x, Close\r\n\r\nhi`, false],
    [`${OK}Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi`, false],
    [`${OK}Content-Length: 2, 2\r\n\r\nhi`, false],
    ["HTTP/1.1 200 OK\nContent-Length: 2\r\n\r\nhi", false],
    [`${OK}X: a\r\n b\r\nContent-Length: 2\r\n\r\nhi`, false],
    ["HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", false],
    ["HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nhi", true],
    ["HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", false],
    [`${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`, true],
    [`${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\n0\r\n\r\n`, false],
    [`${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\nHTTP/1.1`, false],
    [`${OK}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`, false],
    ["HTTP/1.1 204 No\r\n\r\n", true],
    ["HTTP/1.1 204 No\r\nContent-Length: 3\r\n\r\n", false],
    ["HTTP/1.1 304 No\r\nTransfer-Encoding: chunked\r\n\r\n", false],
  ];
  for (const [text, kept] of cases) {
    const { step, persistent } = read(text);
    assert.deepEqual([step, persistent], ["done", kept], JSON.stringify(text));
  }
});

test("what two readers could frame in two ways is refused", () => {
  const heads = [
    "Transfer-Encoding: gzip\r\nContent-Length: 5",
    "Content-Length: 5\r\nContent-Length: 6",
    "Content-Length: 5, 6",
    "Content-Length: +5",
    "Content-Length: 0x5",
    "Content-Length:",
    "Content-Length: 5 5",
    "Content-Length: 9007199254740993",
    "Content-Length:\r\n 5",
    "Transfer-Encoding:\r\n chunked",
    "Content-Length : 5",
    " Content-Length: 5",
    "Content-Length: 5\rX: y",
    "X: a\0b",
    "X\0: b",
    ": b",
  ];
  for (const head of heads) {
    const { step } = read(`${OK}${head}\r\n\r\nhello`, { ends: true });
    assert.equal(typeof step === "object" && step.failure, "protocol", JSON.stringify(head));
  }
});

test("chunks beside a length are read as chunks, as browsers do, and the connection isn't kept", () => {
  for (
    const fields of [
      "Content-Length: 5\r\nTransfer-Encoding: chunked",
      "Transfer-Encoding: Chunked\r\nContent-Length: 999",
    ]
  ) {
    const { step, body, persistent } = read(`${OK}${fields}\r\n\r\n2\r\nhi\r\n0\r\n\r\n`, { ends: false });
    assert.deepEqual([step, body, persistent], ["done", "hi", false], fields);
  }
});

test("a transfer-coding of identity is none", () => {
  const { step, body, persistent } = read(`${OK}Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nhi`);
  assert.deepEqual([step, body, persistent], ["done", "hi", false]);
});

test("a last coding that isn't chunked is a body to the connection's end (RFC 9112 6.3)", () => {
  for (const coding of ["gzip", "chunked, gzip", "xchunked", "identity"]) {
    const { step, body, persistent } = read(`${OK}Transfer-Encoding: ${coding}\r\n\r\n2\r\nhi`, { ends: true });
    assert.deepEqual([step, body, persistent], ["done", "2\r\nhi", false], coding);
  }
});

test("no head is larger than its limit, exactly, interim responses included", () => {
  const padded = (total: number, start: string) => {
    const rest = `${OK}X: \r\nContent-Length: 0\r\n\r\n`;
    return `${start}${OK}X: ${"a".repeat(total - start.length - rest.length)}\r\nContent-Length: 0\r\n\r\n`;
  };
  for (const start of ["", "\r\n\r\n", "HTTP/1.1 103 Hints\r\nLink: </x>\r\n\r\n"]) {
    assert.equal(read(padded(4096, start)).step, "done");
    const { step } = read(padded(4097, start));
    assert.equal(typeof step === "object" && step.failure, "header_too_large");
  }
  const fields = (count: number) => read(`${OK}${"a:\r\n".repeat(count)}\r\n`, { ends: true, headerBytes: 1 << 20 });
  assert.equal(fields(2000).head!.headers.length, 2000);
  assert.deepEqual(fields(2001).step, { failure: "header_too_large", found: "more than 2000 header fields" });
});

test("chunk extensions and trailers are bounded over the whole body, plain chunks are not", () => {
  const chunked = (rest: string) => read(`${OK}Transfer-Encoding: chunked\r\n\r\n${rest}`);
  const many = chunked("1\r\nx\r\n".repeat(20_000) + "0\r\n\r\n");
  assert.deepEqual([many.step, many.body.length], ["done", 20_000]);
  assert.equal(chunked(`1;${"e".repeat(100)}\r\nx\r\n`.repeat(100) + "0\r\n\r\n").step, "cut");
  assert.equal(chunked(`1;${"e".repeat(5000)}`).step, "cut");
  assert.equal(chunked(`0\r\n${"T: u\r\n".repeat(1000)}\r\n`).step, "cut");
  assert.equal(chunked(`0\r\n${"T: u\r\n".repeat(100)}\r\n`).step, "done");
});

test("chunk sizes: what is no size ends the body, what is one is read to the last bit", () => {
  for (const size of ["", "g", "-1", "+1", "0x1", "1 2", "fffffffffffffffff", "20000000000000", " 1"]) {
    const { step, body } = read(`${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n${size}\r\nx\r\n`);
    assert.deepEqual([step, body], ["cut", "hi"], size);
  }
  for (const size of ["A", "a", "000a", "a \t", "a;", "a ;x", 'a;x="y;z"']) {
    const { step, body } = read(`${OK}Transfer-Encoding: chunked\r\n\r\n${size}\r\n0123456789\r\n0\r\n\r\n`);
    assert.deepEqual([step, body], ["done", "0123456789"], size);
  }
});

test("a server that speaks something else is noticed at its first bytes", () => {
  for (const text of ["S", "SSH-", "220 mail", "<html>", "HTTX", "\r\n\r\nGET"]) {
    const { step } = read(text);
    assert.equal(typeof step === "object" && step.failure, "protocol", text);
  }
  for (const text of ["", "\r\n", "H", "HTTP", "HTTP/1.1 200 OK"]) assert.equal(read(text).step, "more", text);
  for (const line of ["HTTP/1.1 099 X", "HTTP/1.1 20 X", "HTTP/1.1 2000 X", "HTTP/1.1  200 X", "HTTP/3.0 200 X"]) {
    assert.equal(typeof read(`${line}\r\n\r\n`).step, "object", line);
  }
});

test("a switch of protocols that nobody asked for is refused", () => {
  const { step } = read("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n");
  assert.equal(typeof step === "object" && step.failure, "protocol");
});

test("a Keep-Alive field says how long the server waits", () => {
  const keepAliveOf = (value: string) =>
    read(`${OK}Keep-Alive: ${value}\r\nContent-Length: 0\r\n\r\n`).head!.keepAliveMs;
  assert.deepEqual(["timeout=5, max=100", "max=3;timeout = 7", "max=9", "timeout=x"].map(keepAliveOf), [
    5000,
    7000,
    undefined,
    undefined,
  ]);
});
