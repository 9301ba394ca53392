/**
 * The lines of pages.jsonl: a header, then one line a page, in the form that WACZ's pages files have.
 * It lists final answers of page targets, 404 and the like included; redirects, answers that are tried again (429, 5xx),
 * robots.txt and sitemaps are in the CDXJ index only. So a URL stands in it once per crawl, and once more
 * for each recrawl that was answered with it whole, or each redirect with a cookie that led to it.
 * Invariant: one line of JSON each, whatever a title holds.
 */

import type { CaptureRow } from "../../protocol/mod.ts";
import { isoDate } from "./timestamp.ts";

export const PAGES_HEADER = JSON.stringify({ format: "json-pages-1.0", id: "pages", title: "Pages" });

/** Is this capture the final answer of a page, and so a line of pages.jsonl? */
export function isPage({ kind, role, http_code }: CaptureRow): boolean {
  return kind === "page" && role === "answer" && http_code !== 304;
}

/**
 * The line of `row`, without its line end. `id` is unique within the file; (`shard`, `seq`) is its order of
 * acknowledgement; `offset` and `length` are the response record's place in `storage_key`; `body_length` counts the
 * decoded body's bytes; `refers_to` is the capture that has the payload, where the record is a revisit.
 */
export function pageLine(row: CaptureRow, shard: number): string {
  return JSON.stringify({
    id: `${shard}-${row.seq}`,
    url: row.url,
    title: row.title,
    ts: isoDate(row.fetched_at),
    status: row.http_code,
    mime: row.content_type === "" ? undefined : row.content_type,
    shard,
    seq: row.seq,
    crawl_id: row.crawl_id,
    depth: row.depth,
    discovered_from: row.discovered_from,
    content_hash: row.content_hash,
    payload_digest: row.payload_digest,
    simhash: row.simhash,
    body_length: row.length,
    storage_key: row.record.storage_key,
    offset: row.record.offset,
    length: row.record.length,
    truncated: row.truncated,
    robots: row.robots,
    refers_to: row.refers_to === undefined
      ? undefined
      : { url: row.refers_to.url, ts: isoDate(row.refers_to.fetched_at) },
  });
}
