/**
 * The CDXJ line of a record that was read from a file, for archives whose page table isn't at hand.
 * Invariant: only records that answer a request for their URL have a line: response, revisit, resource.
 */

import { asciiJson, mediaType, REVISIT } from "./cdxj.ts";
import { holdsHttp, readHttpBlock } from "./payload.ts";
import type { WarcRecord } from "./reader.ts";
import { fieldOf } from "./record_parser.ts";

const INDEXED = new Set(["response", "revisit", "resource"]);

export interface IndexOptions {
  readonly filename: string;
  /** The SURT of a URL; a URL without one is its own key. */
  readonly surt: (url: string) => string;
}

/** The line without its line end, or undefined for a record that isn't indexed. */
export function indexLine(record: WarcRecord, options: IndexOptions): string | undefined {
  const { header } = record;
  const type = fieldOf(header, "WARC-Type") ?? "";
  const url = fieldOf(header, "WARC-Target-URI")?.replace(/^<(.*)>$/, "$1");
  if (!INDEXED.has(type) || !url) return undefined;
  const http = holdsHttp(header) ? readHttpBlock(record.block) : undefined;
  const contentType = http
    ? http.fields.find(([name]) => name.toLowerCase() === "content-type")?.[1]
    : fieldOf(header, "Content-Type");
  const digits = (fieldOf(header, "WARC-Date") ?? "").replaceAll(/\D/g, "");
  const fields = asciiJson({
    url,
    mime: type === "revisit" ? REVISIT : mediaType(contentType ?? ""),
    status: http?.statusCode === undefined ? undefined : String(http.statusCode),
    digest: fieldOf(header, "WARC-Payload-Digest"),
    length: String(record.length),
    offset: String(record.offset),
    filename: options.filename,
  });
  const key = options.surt(url).replaceAll(/[^\x21-\x7e]+/g, encodeURIComponent);
  return `${key} ${digits.slice(0, 14).padEnd(14, "0")} ${fields}`;
}
