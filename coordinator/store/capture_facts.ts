/**
 * A capture as it crosses the wire, out of the fuller row that a batch carries.
 * Invariant: what the page table alone keeps never leaves with it.
 */

import type { CaptureRow } from "../../protocol/mod.ts";
import type { Batch } from "../ports.ts";
import type { EarlierCapture } from "../recrawl_ports.ts";

/**
 * The CaptureRow alone, without what Batch adds to it. What is absent there is undefined here, as JSON leaves out.
 * Each field by its name: the rest of a pattern costs an engine ten times as much.
 */
export function captureFacts(row: Batch["captures"][number]): { readonly [Name in keyof CaptureRow]-?: unknown } {
  return {
    seq: row.seq,
    crawl_id: row.crawl_id,
    url: row.url,
    kind: row.kind,
    role: row.role,
    http_code: row.http_code,
    depth: row.depth,
    discovered_from: row.discovered_from,
    fetched_at: row.fetched_at,
    record: row.record,
    content_hash: row.content_hash,
    payload_digest: row.payload_digest,
    simhash: row.simhash,
    length: row.length,
    content_type: row.content_type,
    title: row.title,
    truncated: row.truncated,
    location: row.location,
    refers_to: row.refers_to,
    robots: row.robots,
  };
}

type BatchCapture = Batch["captures"][number];

/** What the page table keeps beyond the capture as it crosses the wire. */
export function captureExtra(row: BatchCapture): Partial<BatchCapture> {
  const { textHash, etag, lastModified, noindex, canonical } = row;
  return { textHash, etag, lastModified, noindex, canonical } as Partial<BatchCapture>;
}

/** The two parts as JSON has them: without what is undefined. */
export function earlierCapture(facts: object, extra: Partial<BatchCapture>): EarlierCapture {
  const { textHash, etag, lastModified } = extra;
  return JSON.parse(JSON.stringify({ ...facts, textHash, etag, lastModified })) as EarlierCapture;
}
