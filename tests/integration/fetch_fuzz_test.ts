import assert from "node:assert/strict";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { FAILURES } from "../../protocol/mod.ts";
import { get, testFetcher } from "../support/fetching.ts";
import { startRawServer } from "../support/raw_server.ts";
import { test } from "../support/test.ts";

const SEED = 20_261_130;
const REPLIES = 600;

/** Park-Miller: the same replies on every runtime, named by the seed in a failure. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48271) % 0x7fffffff;
    return state % below;
  };
}

const ascii = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const join = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));

function samples(): Uint8Array[] {
  const page = ascii("<p>some text of a page</p>".repeat(40));
  const coded: [string, Uint8Array][] = [["gzip", gzipSync(page)], ["br", brotliCompressSync(page)], [
    "zstd",
    zstdCompressSync(page),
  ]];
  return [
    ...coded.map(([coding, body]) =>
      join(ascii(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`), body)
    ),
    ascii(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n5\r\nhello\r\n3;a=b\r\nyou\r\n0\r\nT: u\r\n\r\n",
    ),
    ascii("HTTP/1.0 404 Not Found\r\nSet-Cookie: a=b\r\n\r\nnothing"),
    ascii("HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"),
  ];
}

/** One to four bytes changed, removed, repeated or inserted; sometimes the end cut off. */
function mutated(sample: Uint8Array, below: (limit: number) => number): Uint8Array {
  const bytes = [...sample];
  for (let i = below(4); i >= 0; i--) {
    const at = below(bytes.length);
    const edit = below(5);
    if (edit === 0) bytes[at] = below(256);
    else if (edit === 1) bytes.splice(at, 1 + below(8));
    else if (edit === 2) bytes.splice(at, 0, ...bytes.slice(at, at + 1 + below(8)));
    else if (edit === 3) bytes.splice(at, 0, [0, 10, 13, 32, 58, 255][below(6)]!);
    else if (bytes.length > 20) bytes.length = 10 + below(bytes.length - 10);
  }
  return Uint8Array.from(bytes);
}

test(`any reply is a value: ${REPLIES} mutated replies, seed ${SEED}`, async () => {
  const below = random(SEED);
  const all = samples();
  const replies = Array.from({ length: REPLIES }, (_, i) => mutated(all[i % all.length]!, below));
  const server = await startRawServer(async (request) => {
    const reply = replies[Number(request.path.slice(1))]!;
    const cut = Math.floor(reply.length / 2);
    await request.send(reply.subarray(0, cut));
    request.end(reply.subarray(cut));
  });
  const fetcher = testFetcher();
  const limits = { wireBytes: 4096, decodedBytes: 4096, headerBytes: 4096 };
  let whole = 0;
  for (let i = 0; i < REPLIES; i++) {
    const result = await fetcher.fetch(get(`${server.origin}/${i}`, limits));
    if (result.ok) {
      whole++;
      assert.ok(result.status >= 200 && result.status <= 999, `reply ${i}`);
      assert.ok(result.body.length <= 4096 && result.decoded.length <= 4096, `reply ${i}`);
    } else {
      assert.ok(result.failure in FAILURES && /^[A-Z].*\.$/s.test(result.detail), `reply ${i}: ${result.detail}`);
    }
  }
  // Both outcomes are common, or the replies would test little.
  assert.ok(whole > REPLIES / 5 && whole < REPLIES * 0.95, `${whole} of ${REPLIES} were exchanges`);
  await fetcher.close();
  await server.close();
});
