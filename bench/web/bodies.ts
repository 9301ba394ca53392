/**
 * Bodies of resources, coded and framed as complete HTTP responses, kept in a bounded cache.
 * Invariant: the same resource and coding give the same bytes; the cache never holds more than its bound.
 */

import { Buffer } from "node:buffer";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { hash32, TOPIC } from "./chance.ts";
import { pageBytes, smallHtml } from "./html.ts";
import { isLinked } from "./resources.ts";
import type { Resource } from "./resources.ts";
import { SHARED_RULES } from "./robots.ts";
import { FILE_ENDINGS } from "./site.ts";
import type { World } from "./world.ts";

export type Coding = "identity" | "gzip" | "deflate" | "br";

export interface Framing {
  readonly coding: Coding;
  readonly chunked: boolean;
}

/** How this resource answers a client that accepts `accepted`. */
export function framingOf(world: World, resource: Resource, accepted: string): Framing {
  const gzip = world.config.gzip && /\bgzip\b/.test(accepted);
  if (resource.kind === "broken_gzip") return { coding: "gzip", chunked: false };
  if (!world.has("encodings")) return { coding: gzip ? "gzip" : "identity", chunked: false };
  const draw = hash32(world.config.seed, TOPIC.coding, resource.host, hashOf(resource.path)) % 100;
  const chunked = draw % 5 === 0;
  if (draw < 10 && /\bdeflate\b/.test(accepted)) return { coding: "deflate", chunked };
  if (draw < 20 && /\bbr\b/.test(accepted)) return { coding: "br", chunked };
  return { coding: gzip && draw < 85 ? "gzip" : "identity", chunked };
}

function hashOf(text: string): number {
  let h = 0;
  for (let i = 0; i < text.length; i++) h = (Math.imul(h, 31) + text.charCodeAt(i)) | 0;
  return h;
}

/** A strong validator, per coding (RFC 9110 8.8.3.3). */
export function etagOf(world: World, resource: Resource, coding: Coding): string {
  return `"${hash32(world.config.seed, resource.host, hashOf(resource.path)).toString(16)}-${coding}"`;
}

/** The same for every page: the web doesn't change. */
export const LAST_MODIFIED = "Tue, 03 Feb 2026 10:00:00 GMT";

const TYPES: Readonly<Record<string, string>> = {
  pdf: "application/pdf",
  png: "image/png",
  json: "application/json",
  txt: "text/plain; charset=utf-8",
};

function contentType(resource: Resource): string {
  if (resource.kind === "file") return TYPES[resource.path.split(".").pop()!]!;
  if (resource.kind === "robots_hop") return "text/plain";
  return resource.kind === "charset" ? "text/html" : "text/html; charset=utf-8";
}

/** The decoded body. */
function plainBody(world: World, resource: Resource): Uint8Array {
  const { kind } = resource;
  if (kind === "empty") return new Uint8Array(0);
  if (kind === "robots_hop") return Buffer.from(SHARED_RULES);
  if (kind === "file") return fileBody(resource);
  if (isLinked(kind)) return pageBytes(world, resource);
  return Buffer.from(smallHtml(resource), "utf8");
}

const FILE_HEADS: Readonly<Record<(typeof FILE_ENDINGS)[number], string>> = {
  pdf: "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
  png: "\x89PNG\r\n\x1a\n",
  json: "[1, 2, 3]\n",
  txt: '<a href="/ghost/text">no link in plain text</a>\n',
};

function fileBody(resource: Resource): Uint8Array {
  const ending = resource.path.split(".").pop() as (typeof FILE_ENDINGS)[number];
  const noise = ending === "pdf" || ending === "png"
    ? Uint8Array.from({ length: 4000 }, (_, i) => hash32(resource.host, resource.local, i) & 0xff)
    : new Uint8Array(0);
  return Buffer.concat([Buffer.from(FILE_HEADS[ending], "latin1"), noise]);
}

function encode(body: Uint8Array, coding: Coding): Uint8Array {
  switch (coding) {
    case "gzip":
      return gzipSync(body, { level: 1 });
    case "deflate":
      return deflateSync(body, { level: 1 });
    case "br":
      return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
    default:
      return body;
  }
}

const CHUNK = 4096;

/** RFC 9112 7.1. */
function chunks(body: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < body.length; at += CHUNK) {
    const part = body.subarray(at, at + CHUNK);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n"));
  }
  parts.push(Buffer.from("0\r\n\r\n"));
  return Buffer.concat(parts);
}

/** A whole response to GET with status 200. */
export function responseOf(world: World, resource: Resource, framing: Framing): Uint8Array {
  const coded = encode(plainBody(world, resource), framing.coding);
  const body = resource.kind === "broken_gzip" ? coded.subarray(0, coded.length >> 1) : coded;
  const head = `HTTP/1.1 200 OK\r\nContent-Type: ${contentType(resource)}\r\n` +
    `ETag: ${etagOf(world, resource, framing.coding)}\r\nLast-Modified: ${LAST_MODIFIED}\r\n` +
    (framing.coding === "identity" ? "" : `Content-Encoding: ${framing.coding}\r\n`) +
    `Vary: Accept-Encoding\r\n` +
    (framing.chunked ? "Transfer-Encoding: chunked\r\n\r\n" : `Content-Length: ${body.length}\r\n\r\n`);
  return Buffer.concat([Buffer.from(head, "latin1"), framing.chunked ? chunks(body) : body]);
}

/** Least recently used responses go first. */
export class ResponseCache {
  readonly #kept = new Map<string, Uint8Array>();
  readonly #boundBytes: number;
  #bytes = 0;

  constructor(boundBytes: number) {
    this.#boundBytes = boundBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(world: World, resource: Resource, framing: Framing): Uint8Array {
    const key = `${resource.host} ${resource.path} ${framing.coding}`;
    const kept = this.#kept.get(key);
    if (kept) {
      if (this.#bytes * 2 > this.#boundBytes) {
        this.#kept.delete(key);
        this.#kept.set(key, kept);
      }
      return kept;
    }
    const made = responseOf(world, resource, framing);
    this.#keep(key, made);
    return made;
  }

  #keep(key: string, made: Uint8Array): void {
    if (made.length > this.#boundBytes) return;
    this.#kept.set(key, made);
    this.#bytes += made.length;
    for (const [oldest, bytes] of this.#kept) {
      if (this.#bytes <= this.#boundBytes) break;
      this.#kept.delete(oldest);
      this.#bytes -= bytes.length;
    }
  }
}
