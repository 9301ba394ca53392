/**
 * One line of the CDXJ index: `surt timestamp {json}`, the values strings, as pywb and the WACZ format have them.
 * Invariant: a line is ASCII without a line end, so comparing lines as strings compares their bytes.
 */

import type { CaptureRow } from "../../protocol/mod.ts";
import { timestamp14 } from "./timestamp.ts";

/** JSON in ASCII: everything else as \u escapes. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The media type alone, lower case; `unk` where a response stated none (pywb's word). */
export function mediaType(contentType: string): string {
  const type = contentType.split(/[;,]/, 1)[0]!.trim().toLowerCase();
  return /^[^\s/]+\/[^\s/]+$/.test(type) ? type : "unk";
}

/** What pywb and its kin call the type of a revisit: they look for the payload by its digest. */
export const REVISIT = "warc/revisit";

/**
 * The line of `row`, without its line end. `filename` is the storage key: the path below the data folder, so that the
 * indexes of several edges can be merged as they are.
 */
export function cdxjLine(row: CaptureRow, surt: string): string {
  const key = surt.replaceAll(/[^\x21-\x7e]+/g, encodeURIComponent);
  const fields = asciiJson({
    url: row.url,
    mime: row.refers_to === undefined ? mediaType(row.content_type) : REVISIT,
    status: String(row.http_code),
    digest: row.payload_digest,
    length: String(row.record.length),
    offset: String(row.record.offset),
    filename: row.record.storage_key,
  });
  return `${key} ${timestamp14(row.fetched_at)} ${fields}`;
}
