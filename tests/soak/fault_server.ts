/**
 * A web of faults for the soak: many hosts on loopback addresses whose pages are sound, cut, slow, endless, bombs or no
 * HTTP at all. What a page does is told by its number alone.
 * Invariant: only loopback is served; nothing is kept of a connection that has gone; the pages are bounded in number.
 */

import { Buffer } from "node:buffer";
import { clearInterval, setInterval } from "node:timers";
import { gzipSync } from "node:zlib";
import { type RawRequest, type RawServer, startRawServer } from "../support/raw_server.ts";

export interface FaultWeb {
  readonly seeds: readonly string[];
  close(): Promise<void>;
}

const HOSTS = 400;
const PAGES = 200_000;
const LINKS = 6;
const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
const BLANK = "\r\n\r\n";
const BOMB = gzipSync(Buffer.alloc(100_000_000, "<p>"));
const NESTED = Buffer.from(`<!doctype html>${"<div><b><<<&amp;".repeat(15_000)}`);

/** How a page fails, or undefined: it is a sound page. */
type Fault = (request: RawRequest) => void | Promise<void>;

/** Sends `piece` again and again, `everyMs` apart, until the client is gone. */
function drip(request: RawRequest, piece: string, everyMs: number): void {
  const timer = setInterval(() => void request.send(piece), everyMs);
  request.socket.on("close", () => clearInterval(timer));
}

async function endless(request: RawRequest): Promise<void> {
  const piece = Buffer.alloc(64 * 1024, "<a href=/x>endless</a> ");
  await request.send(`${HEAD}\r\n`);
  while (!request.socket.destroyed) await request.send(piece);
}

function whole(body: Uint8Array, fields = ""): Buffer {
  return Buffer.concat([Buffer.from(`${HEAD}${fields}Content-Length: ${body.length}${BLANK}`), body]);
}

const FAULTS: readonly Fault[] = [
  (request) => request.reset(),
  (request) => request.end(),
  async (request) => {
    await request.send(`${HEAD}Content-Length: 5000${BLANK}<p>so far`);
    request.reset();
  },
  (request) => request.end(`${HEAD}Content-Length: 5000${BLANK}<p>less than was said`),
  (request) => request.end("220 mail.example ESMTP\r\n"),
  (request) => request.end(`${HEAD}X: ${"y".repeat(100_000)}${BLANK}`),
  (request) => request.end(`HTTP/1.1 302 Found\r\nLocation: ${request.path}\r\nContent-Length: 0${BLANK}`),
  (request) => request.end(`HTTP/1.1 500 Oops\r\nContent-Length: 0${BLANK}`),
  (request) => request.send(whole(gzipSync(NESTED).subarray(0, 400), "Content-Encoding: gzip\r\n")),
  (request) => request.send(whole(NESTED)),
  (request) => request.end(`${HEAD}Transfer-Encoding: chunked${BLANK}5\r\nhello\r\nzz\r\n`),
];

/** Dear for both sides, so that they come seldom. */
const RARE: readonly Fault[] = [
  endless,
  (request) => request.send(whole(BOMB, "Content-Encoding: gzip\r\n")),
  () => {},
  (request) => drip(request, HEAD, 1_000),
  async (request) => {
    await request.send(`${HEAD}\r\n`);
    drip(request, "<p>", 1_000);
  },
  (request) => request.end(`HTTP/1.1 503 Busy\r\nRetry-After: 5\r\nContent-Length: 0${BLANK}`),
];

function faultOf(page: number): Fault | undefined {
  if (page % 200 === 199) return RARE[Math.floor(page / 200) % RARE.length];
  // One in three is sound and leads on.
  return page % 3 === 0 ? undefined : FAULTS[page % FAULTS.length];
}

function urlOf(page: number, port: number): string {
  const host = (page * 7919) % HOSTS;
  const scheme = page % 97 === 0 ? "https" : "http";
  return `${scheme}://127.2.${host >> 8}.${(host & 255) || 1}:${port}/f/${page}`;
}

function sound(page: number, port: number): Buffer {
  const links = Array.from({ length: LINKS }, (_, i) => page * LINKS + i + 1).filter((next) => next < PAGES);
  const html = `<!doctype html><title>${page}</title>` +
    links.map((next) => `<p>page ${next} <a href="${urlOf(next, port)}">goes on</a>`).join("");
  return whole(gzipSync(html), "Content-Encoding: gzip\r\n");
}

/** Starts it; close it. */
export async function startFaultWeb(): Promise<FaultWeb> {
  const server: RawServer = await startRawServer(async (request) => {
    const page = Number(/^\/f\/(\d+)$/.exec(request.path)?.[1] ?? NaN);
    if (!Number.isSafeInteger(page)) return request.end(`HTTP/1.1 404 Gone\r\nContent-Length: 0${BLANK}`);
    const fault = faultOf(page);
    await (fault === undefined ? request.send(sound(page, server.port)) : fault(request));
  }, {
    // It listens on every interface so that all of 127/8 answers; only loopback is served.
    host: "0.0.0.0",
    onConnection: (socket) => {
      if (!(socket.localAddress ?? "").replace("::ffff:", "").startsWith("127.")) socket.destroy();
    },
  });
  const seeds = Array.from({ length: 30 }, (_, i) => urlOf(3 * i, server.port));
  return { seeds, close: () => server.close() };
}
