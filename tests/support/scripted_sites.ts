/**
 * Virtual hosts on one raw server: a test scripts the bytes of every answer and reads what was asked, and when.
 * Invariant: a request is logged with the server's clock when its head has arrived, whatever is answered.
 */

import { type RawRequest, type RawServer, startRawServer } from "./raw_server.ts";

/** One request as the server saw it. */
export interface Asked {
  /** The Host header, port included, lower case. */
  readonly authority: string;
  /** Without the port. */
  readonly host: string;
  readonly path: string;
  /** Monotonic ms of this process. */
  readonly at: number;
}

/** Answers one request; a string or bytes are sent as they are, and the connection is closed. */
export type Script = (asked: Asked, request: RawRequest) => string | Uint8Array | void | Promise<void>;

export interface ScriptedSites {
  readonly port: number;
  /** In the order of arrival. */
  readonly log: readonly Asked[];
  readonly server: RawServer;
  /** `http://host:port/path`. */
  url(host: string, path?: string): string;
  /** What was asked of `host`. */
  of(host: string): Asked[];
  close(): Promise<void>;
}

/** A whole answer with its length. */
export function answer(status: string, body: string, headers: readonly string[] = []): string {
  const length = new TextEncoder().encode(body).length;
  return [`HTTP/1.1 ${status}`, ...headers, `Content-Length: ${length}`, "", body].join("\r\n");
}

export const html = (body: string): string => answer("200 OK", body, ["Content-Type: text/html; charset=utf-8"]);
export const text = (body: string): string => answer("200 OK", body, ["Content-Type: text/plain"]);
export const missing = (): string => answer("404 Not Found", "none");
export const moved = (location: string, status = "302 Found"): string => answer(status, "", [`Location: ${location}`]);

/** Links to these places. */
export const page = (...hrefs: readonly string[]): string =>
  html(`<title>page</title>${hrefs.map((href) => `<a href="${href}">link</a>`).join("\n")}`);

export async function startSites(script: Script, address = "127.0.0.1"): Promise<ScriptedSites> {
  const log: Asked[] = [];
  const server = await startRawServer(async (request) => {
    const authority = /\r\nhost: *([^\r\n]*)/i.exec(request.head)?.[1]?.toLowerCase() ?? "";
    const asked = { authority, host: authority.replace(/:\d+$/, ""), path: request.path, at: performance.now() };
    log.push(asked);
    const bytes = await script(asked, request);
    if (bytes !== undefined) await request.send(bytes);
  }, { host: address });
  return {
    port: server.port,
    log,
    server,
    url: (host, path = "/") => `http://${host}:${server.port}${path}`,
    of: (host) => log.filter((asked) => asked.host === host),
    close: () => server.close(),
  };
}

/** ms between each request and the one before it. */
export function gapsOf(asked: readonly Asked[]): number[] {
  return asked.slice(1).map((one, index) => one.at - asked[index]!.at);
}
