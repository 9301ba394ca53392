/**
 * From a request to the bytes that answer it.
 * Invariant: the answer hangs on the request, the world, and how often the same thing was asked before, nothing else.
 */

import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import { canonicalTarget, hostNumber } from "./addresses.ts";
import { etagOf, framingOf, LAST_MODIFIED, ResponseCache } from "./bodies.ts";
import type { WebRequest } from "./request_parser.ts";
import { resourceAt } from "./resources.ts";
import type { Resource } from "./resources.ts";
import type { World } from "./world.ts";

export interface WebResponse {
  readonly host: number;
  readonly path: string;
  readonly kind: string;
  /** 0: close the connection without an answer. */
  readonly status: number;
  readonly bytes: Uint8Array;
  readonly delayMs: number;
}

const REASONS: Readonly<Record<number, string>> = {
  200: "OK",
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  304: "Not Modified",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  410: "Gone",
  421: "Misdirected Request",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

/** Requests of a flaky page that are refused before it answers. */
const FLAKY_REFUSALS = 1;

type Fields = readonly (readonly [string, string])[];

function small(status: number, fields: Fields = [], body: string | Uint8Array = `${status}\n`): Uint8Array {
  const bytes = typeof body === "string" ? Buffer.from(body, "utf8") : body;
  const framed = status === 304 ? fields : [...fields, ["Content-Length", String(bytes.length)] as const];
  const head = `HTTP/1.1 ${status} ${REASONS[status] ?? ""}\r\n${
    framed.map(([k, v]) => `${k}: ${v}\r\n`).join("")
  }\r\n`;
  return status === 304 ? Buffer.from(head, "latin1") : Buffer.concat([Buffer.from(head, "latin1"), bytes]);
}

export class Responder {
  readonly #world: World;
  readonly #cache: ResponseCache;
  readonly #asked = new Map<string, number>();

  constructor(world: World, cacheBytes: number) {
    this.#world = world;
    this.#cache = new ResponseCache(cacheBytes);
  }

  /** Forgets what was asked; keeps the cache. */
  reset(): void {
    this.#asked.clear();
  }

  get cacheBytes(): number {
    return this.#cache.bytes;
  }

  respond(request: WebRequest): WebResponse {
    const host = hostNumber(request.authority) ?? -1;
    const path = canonicalTarget(request.target);
    const delayMs = this.#world.config.latencyMs;
    if (host < 0 || host >= this.#world.config.hosts) {
      return { host: -1, path, kind: "misdirected", status: 421, bytes: small(421), delayMs };
    }
    if (request.method !== "GET" && request.method !== "HEAD") {
      return { host, path, kind: "method", status: 405, bytes: small(405, [["Allow", "GET, HEAD"]]), delayMs };
    }
    const resource = resourceAt(this.#world, host, path);
    const { status, bytes } = this.#answer(resource, request);
    const slow = resource.kind === "slow" ? this.#world.config.slowMs : 0;
    return { host, path, kind: resource.kind, status, bytes: headOnly(request, bytes), delayMs: delayMs + slow };
  }

  /** Renders a page into the cache as a gzip-accepting client would have it. */
  warm(host: number, path: string): void {
    const resource = resourceAt(this.#world, host, path);
    if (resource.status === 200) this.#cache.get(this.#world, resource, framingOf(this.#world, resource, "gzip"));
  }

  #answer(resource: Resource, request: WebRequest): { status: number; bytes: Uint8Array } {
    if (resource.kind === "robots") return this.#robots(resource);
    if (resource.kind === "flaky" && this.#count(resource) < FLAKY_REFUSALS) {
      return { status: 503, bytes: small(503, [["Retry-After", "1"]]) };
    }
    const location = this.#sameKeyRedirect(resource, request) ?? resource.location;
    if (location !== undefined) {
      const status = resource.status === 200 ? 301 : resource.status;
      return { status, bytes: small(status, [["Location", location]], "moved\n") };
    }
    if (resource.status !== 200) return { status: resource.status, bytes: small(resource.status) };
    return this.#page(resource, request);
  }

  #page(resource: Resource, request: WebRequest): { status: number; bytes: Uint8Array } {
    const framing = framingOf(this.#world, resource, request.acceptEncoding);
    const etag = etagOf(this.#world, resource, framing.coding);
    const unchanged = request.ifNoneMatch === undefined
      ? request.ifModifiedSince === LAST_MODIFIED
      : request.ifNoneMatch.includes(etag);
    if (unchanged) return { status: 304, bytes: small(304, [["ETag", etag], ["Last-Modified", LAST_MODIFIED]]) };
    return { status: 200, bytes: this.#cache.get(this.#world, resource, framing) };
  }

  /** `?cat=1&id=5` redirects to `?id=5&cat=1`: two spellings of one key. */
  #sameKeyRedirect(resource: Resource, request: WebRequest): string | undefined {
    if (resource.kind !== "redirect_same_key" || request.target !== resource.path) return undefined;
    const [path, query = ""] = resource.path.split("?");
    return `${path}?${query.split("&").reverse().join("&")}`;
  }

  #robots(resource: Resource): { status: number; bytes: Uint8Array } {
    const answer = this.#world.robotsOf(resource.host).answer(this.#count(resource));
    if (answer.drop) return { status: 0, bytes: new Uint8Array(0) };
    if (answer.redirectTo !== undefined) {
      const location = this.#world.origin((resource.host + 1) % this.#world.config.hosts) + answer.redirectTo;
      return { status: answer.status, bytes: small(answer.status, [["Location", location]], "moved\n") };
    }
    const fields: [string, string][] = [["Content-Type", answer.type ?? "text/plain"]];
    if (answer.retryAfterSeconds !== undefined) fields.push(["Retry-After", String(answer.retryAfterSeconds)]);
    if (!answer.gzip) return { status: answer.status, bytes: small(answer.status, fields, answer.body) };
    fields.push(["Content-Encoding", "gzip"]);
    return { status: answer.status, bytes: small(answer.status, fields, gzipSync(answer.body)) };
  }

  #count(resource: Resource): number {
    const key = `${resource.host} ${resource.path}`;
    const before = this.#asked.get(key) ?? 0;
    this.#asked.set(key, before + 1);
    return before;
  }
}

function headOnly(request: WebRequest, bytes: Uint8Array): Uint8Array {
  if (request.method !== "HEAD") return bytes;
  const end = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf("\r\n\r\n");
  return end < 0 ? bytes : bytes.subarray(0, end + 4);
}
