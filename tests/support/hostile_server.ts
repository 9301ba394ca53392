/**
 * A server that does to a client all that a hostile one can: each trick at a path of its own.
 * Invariant: what it sends it makes as it goes, so that it costs this process little; a trick ends when its client is gone.
 */

import { setImmediate } from "node:timers";
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib";
import type { FailureClass } from "../../protocol/mod.ts";
import { type RawRequest, type RawServer, startRawServer } from "./raw_server.ts";

/** What a client with the tests' limits makes of it. */
export type Wanted =
  | { readonly failure: FailureClass }
  | { readonly truncated: "length" | "time" | "disconnect" | undefined; readonly bodyAtMost?: number };

export interface Trick {
  readonly play: (request: RawRequest) => void | Promise<void>;
  readonly wants: Wanted;
}

const OK = "HTTP/1.1 200 OK\r\n";
const HTML = `${OK}Content-Type: text/html\r\n`;
const PIECE = new Uint8Array(16 * 1024).fill(120);
const ENDLESS_BYTES = 64 * 1024 * 1024;
/** Of the bombs, decoded. */
const BOMB_BYTES = 32 * 1024 * 1024;

/** Sends `piece` for as long as somebody takes it: some sixty times of what a test's client may take. */
async function forEver({ socket, send }: RawRequest, piece: string | Uint8Array): Promise<void> {
  for (let sent = 0; !socket.destroyed && sent < ENDLESS_BYTES; sent += piece.length) {
    await send(piece);
    // A write may be done at once: the others need their turn.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  socket.destroy();
}

/** Sends one character after the other, `everyMs` apart, again and again. */
function drip(request: RawRequest, text: string, everyMs = 50): void {
  let at = 0;
  const timer = setInterval(() => void request.send(text[at++ % text.length]!), everyMs);
  request.socket.on("close", () => clearInterval(timer));
}

function coded(coding: string, body: Uint8Array): string | Uint8Array {
  const head = new TextEncoder().encode(`${HTML}Content-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`);
  const whole = new Uint8Array(head.length + body.length);
  whole.set(head);
  whole.set(body, head.length);
  return whole;
}

/** Decoded they are zeros. Made before anything is timed. */
function bombs(): Record<string, Trick> {
  const zeros = new Uint8Array(BOMB_BYTES);
  const gzip = gzipSync(zeros);
  const bomb = (coding: string, body: Uint8Array): Trick => ({
    play: (request) => request.end(coded(coding, body)),
    wants: { truncated: "length" },
  });
  return {
    bomb_gzip: bomb("gzip", gzip),
    bomb_brotli: bomb("br", brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } })),
    bomb_zstd: bomb("zstd", zstdCompressSync(zeros)),
    bomb_in_bomb: bomb("gzip, gzip", gzipSync(gzip)),
    bomb_four_deep: bomb("gzip, br, gzip, gzip", gzipSync(gzipSync(brotliCompressSync(gzip)))),
  };
}

const SLOW: Record<string, Trick> = {
  slow_head: {
    play: (request) => drip(request, `${OK}X-Slow: ${"y".repeat(1000)}`),
    wants: { failure: "wall_timeout" },
  },
  slow_fields: {
    play: (request) => void request.send(OK).then(() => drip(request, "X: y\r\n")),
    wants: { failure: "wall_timeout" },
  },
  slow_body: {
    play: (request) => void request.send(`${HTML}Content-Length: 100000\r\n\r\n`).then(() => drip(request, "z")),
    wants: { truncated: "time", bodyAtMost: 1000 },
  },
  slow_chunks: {
    play: (request) =>
      void request.send(`${HTML}Transfer-Encoding: chunked\r\n\r\n`).then(() => drip(request, "1\r\nz\r\n")),
    wants: { truncated: "time", bodyAtMost: 1000 },
  },
  silence: { play: () => {}, wants: { failure: "read_timeout" } },
  silence_in_head: { play: (request) => request.send(`${OK}X: `), wants: { failure: "read_timeout" } },
  silence_in_body: {
    play: (request) => request.send(`${HTML}Content-Length: 10\r\n\r\nhello`),
    wants: { truncated: "time", bodyAtMost: 5 },
  },
};

const FLOODS: Record<string, Trick> = {
  endless_body: {
    play: (request) => request.send(`${HTML}\r\n`).then(() => forEver(request, PIECE)),
    wants: { truncated: "length" },
  },
  endless_chunks: {
    play: (request) =>
      request.send(`${HTML}Transfer-Encoding: chunked\r\n\r\n`).then(() =>
        forEver(request, `4000\r\n${"x".repeat(0x4000)}\r\n`)
      ),
    wants: { truncated: "length" },
  },
  endless_extension: {
    play: (request) =>
      request.send(`${HTML}Transfer-Encoding: chunked\r\n\r\n5;`).then(() => forEver(request, "a=b;".repeat(4096))),
    wants: { truncated: "disconnect", bodyAtMost: 0 },
  },
  endless_trailers: {
    play: (request) =>
      request.send(`${HTML}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n`).then(() =>
        forEver(request, "T: u\r\n".repeat(2048))
      ),
    wants: { truncated: "disconnect", bodyAtMost: 5 },
  },
  endless_status_line: {
    play: (request) => request.send("HTTP/1.1 200 ").then(() => forEver(request, PIECE)),
    wants: { failure: "header_too_large" },
  },
  endless_field: {
    play: (request) => request.send(`${OK}X: `).then(() => forEver(request, PIECE)),
    wants: { failure: "header_too_large" },
  },
  endless_fields: {
    play: (request) => request.send(OK).then(() => forEver(request, "X: y\r\n".repeat(2048))),
    wants: { failure: "header_too_large" },
  },
  endless_folds: {
    play: (request) => request.send(`${OK}X: y\r\n`).then(() => forEver(request, " z\r\n".repeat(2048))),
    wants: { failure: "header_too_large" },
  },
  endless_interim: {
    play: (request) => forEver(request, "HTTP/1.1 103 Hints\r\nLink: </x>\r\n\r\n".repeat(256)),
    wants: { failure: "header_too_large" },
  },
  endless_blank_lines: {
    play: (request) => forEver(request, "\r\n".repeat(4096)),
    wants: { failure: "header_too_large" },
  },
};

const LIES: Record<string, Trick> = {
  lying_length: {
    play: (request) => request.end(`${HTML}Content-Length: 999999999999\r\n\r\nhello`),
    wants: { truncated: "disconnect", bodyAtMost: 5 },
  },
  lying_coding: {
    play: (request) => request.end(coded("gzip, br, zstd, deflate", new Uint8Array(1000).fill(0x1f))),
    wants: { truncated: undefined },
  },
  two_lengths: {
    play: (request) => request.end(`${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`),
    wants: { failure: "protocol" },
  },
  length_and_chunks: {
    play: (request) => request.end(`${OK}Content-Length: 500\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
    wants: { truncated: undefined, bodyAtMost: 0 },
  },
  nul_in_head: { play: (request) => request.end(`${OK}X: a\0b\r\n\r\n`), wants: { failure: "protocol" } },
  bare_cr: { play: (request) => request.end(`${OK}X: a\rY: b\r\n\r\n`), wants: { failure: "protocol" } },
  not_http: { play: (request) => request.send("SSH-2.0-OpenSSH_9.9\r\n"), wants: { failure: "protocol" } },
  no_answer: { play: (request) => request.end(), wants: { failure: "connect_reset" } },
  reset: { play: (request) => request.reset(), wants: { failure: "connect_reset" } },
  reset_in_head: {
    play: (request) => request.send(`${OK}X: `).then(() => request.reset()),
    wants: { failure: "connect_reset" },
  },
  upgrade: {
    play: (request) => request.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n"),
    wants: { failure: "protocol" },
  },
};

export const TRICKS: Readonly<Record<string, Trick>> = { ...SLOW, ...FLOODS, ...LIES, ...bombs() };

export interface HostileServer extends RawServer {
  /** The URL at which a trick is played. */
  url(trick: string): string;
}

/** `/good` is a page. */
export async function startHostileServer(): Promise<HostileServer> {
  const server = await startRawServer((request) => {
    const trick = TRICKS[request.path.slice(1)];
    if (trick !== undefined) return trick.play(request);
    return request.send(`${HTML}Content-Length: 5\r\n\r\nhello`);
  });
  return Object.assign(Object.create(server) as RawServer, { url: (trick: string) => `${server.origin}/${trick}` });
}
