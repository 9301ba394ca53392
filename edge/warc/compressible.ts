/**
 * Which payloads deflate would make smaller by enough to be worth its time (docs/adr/0010).
 * Invariant: pure, and only a matter of cost: either answer gives a valid record.
 */

import type { Exchange } from "../ports.ts";
import { mediaType } from "./cdxj.ts";

/** Below this a stream's set-up costs more than the few bytes are worth. */
const LEAST_BYTES = 1024;

/** Families whose formats compress their data, save for the types in PLAIN_TYPES. */
const COMPRESSED_FAMILIES = new Set(["image", "audio", "video", "font"]);
const PLAIN_TYPES = new Set([
  "image/svg+xml",
  "image/bmp",
  "image/x-ms-bmp",
  "image/x-icon",
  "image/vnd.microsoft.icon",
  "image/tiff",
  "audio/wav",
  "audio/x-wav",
  "audio/midi",
  "font/ttf",
  "font/otf",
  "font/sfnt",
  "font/collection",
]);
const COMPRESSED_TYPES = new Set([
  "application/pdf",
  "application/zip",
  "application/gzip",
  "application/x-gzip",
  "application/zstd",
  "application/x-bzip2",
  "application/x-xz",
  "application/x-7z-compressed",
  "application/vnd.rar",
  "application/x-rar-compressed",
  "application/java-archive",
  "application/epub+zip",
  "application/ogg",
  "application/font-woff",
]);
/** Office documents are zip files. */
const COMPRESSED_PREFIXES = ["application/vnd.openxmlformats-", "application/vnd.oasis.opendocument."];

function isCompressedType(type: string): boolean {
  if (PLAIN_TYPES.has(type)) return false;
  return COMPRESSED_FAMILIES.has(type.slice(0, type.indexOf("/"))) || COMPRESSED_TYPES.has(type) ||
    COMPRESSED_PREFIXES.some((prefix) => type.startsWith(prefix));
}

/** False for a body that decoded to more bytes than it has: it was compressed, whatever its fields say. */
export function isCompressible({ body, decoded, headers }: Pick<Exchange, "body" | "decoded" | "headers">): boolean {
  if (body.length < LEAST_BYTES || decoded.length > body.length) return false;
  const contentType = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  return !isCompressedType(mediaType(contentType));
}
