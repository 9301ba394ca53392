/**
 * Archives one exchange and states its facts for the coordinator (promise 10: durable before reported).
 */

import type { CaptureFacts, CrawlId, History, Hop } from "../protocol/mod.ts";
import { fingerprintToHex } from "../protocol/mod.ts";
import type { EdgeParts } from "./parts.ts";
import type { ArchiveEntry, Draft, EarlierCapture, Exchange } from "./ports.ts";
import { header, type Scanned } from "./steps/scan.ts";
import type { Undurable } from "./undurable.ts";

/** Longest validator, media type or title that is reported; a longer validator is left out, the others are cut. */
const FACT_CHARS = 512;

export interface ToCapture {
  readonly exchange: Exchange;
  /** The target's URL. */
  readonly targetUrl: string;
  /** Wall ms at the start of the fetch. */
  readonly fetchedAt: number;
  readonly captureName: string;
  readonly contentHash: string;
  readonly crawlId: CrawlId;
  /** What is known of an earlier capture of the target. */
  readonly history?: History | undefined;
  readonly scanned?: Pick<Scanned, "facts" | "outlinkCount"> | undefined;
}

/** What of the edge a capture needs. */
export type CaptureParts = Pick<EdgeParts, "archive" | "digest" | "payloads">;

/** Resolves when the records are durable; rejects on local trouble only. */
export async function capture(parts: CaptureParts, what: ToCapture): Promise<CaptureFacts> {
  const { facts, durable } = await captureSoon(parts, what);
  await durable;
  return facts;
}

/** As capture, but resolves when the place of the records is known: nothing may be reported before they are durable. */
export async function captureSoon(
  parts: CaptureParts,
  what: ToCapture,
): Promise<{ readonly facts: CaptureFacts; readonly durable: Promise<void> }> {
  const { exchange, fetchedAt, captureName, contentHash, scanned } = what;
  const payloadDigest = `sha1:${parts.digest.sha1Base32(exchange.body)}`;
  const refersTo = earlierCapture(parts, what, payloadDigest);
  const entry: Draft<ArchiveEntry> = { exchange, fetchedAt, captureName, payloadDigest, contentHash };
  if (refersTo !== undefined) entry.refersTo = refersTo;
  if (scanned !== undefined) entry.facts = metadataFacts(scanned);
  const { record, durable } = await parts.archive.append(entry);
  const built: Draft<CaptureFacts> = {
    fetched_at: fetchedAt,
    record,
    // A 304 has no body: its content is that of the capture that it speaks of.
    content_hash: saysUnchanged(what) ? what.history!.content_hash : contentHash,
    payload_digest: refersTo?.payloadDigest ?? payloadDigest,
    length: exchange.decoded.length,
    wire_length: exchange.body.length,
    content_type: (header(exchange, "content-type") ?? "").slice(0, FACT_CHARS),
    remote_address: exchange.remoteAddress,
  };
  if (exchange.url !== what.targetUrl) built.url = exchange.url;
  const etag = header(exchange, "etag");
  if (isReported(etag)) built.etag = etag;
  const lastModified = header(exchange, "last-modified");
  if (isReported(lastModified)) built.last_modified = lastModified;
  if (exchange.truncated !== undefined) built.truncated = exchange.truncated;
  if (refersTo !== undefined) built.refers_to = { url: refersTo.url, fetched_at: refersTo.fetchedAt };
  if (scanned !== undefined) addPageFacts(built, scanned.facts);
  return { facts: built, durable };
}

/**
 * The acknowledged capture that has the payload already: the one that a 304 speaks of, else one with the same bytes and
 * status. Undefined = the response is stored whole.
 */
function earlierCapture(parts: CaptureParts, what: ToCapture, payloadDigest: string): EarlierCapture | undefined {
  const { exchange: { status, truncated, body }, history, targetUrl, crawlId } = what;
  const isSame = history !== undefined &&
    (saysUnchanged(what) || (status === 200 && history.payload_digest === payloadDigest));
  if (truncated !== undefined || (body.length === 0 && !isSame)) return undefined;
  if (!isSame) return parts.payloads.find({ crawlId, httpCode: status, payloadDigest });
  // Of a capture that was a revisit itself, the payload lies where that one says.
  const { url, fetched_at } = history.refers_to ?? { url: targetUrl, fetched_at: history.fetched_at };
  return { url, fetchedAt: fetched_at, payloadDigest: history.payload_digest };
}

/** A 304 of the target's own URL. What another URL says, where a redirect led, isn't of the capture that is known. */
function saysUnchanged({ exchange, targetUrl, history }: ToCapture): boolean {
  return exchange.status === 304 && history !== undefined && exchange.url === targetUrl;
}

function metadataFacts({ facts, outlinkCount }: NonNullable<ToCapture["scanned"]>): NonNullable<ArchiveEntry["facts"]> {
  return { charset: facts.charset, simhash: fingerprintToHex(facts.simhash), outlinks: outlinkCount };
}

function isReported(validator: string | undefined): validator is string {
  return validator !== undefined && validator.length <= FACT_CHARS;
}

function addPageFacts(built: Draft<CaptureFacts>, facts: Scanned["facts"]): void {
  built.charset = facts.charset;
  built.title = facts.title;
  built.text_hash = fingerprintToHex(facts.textHash);
  built.simhash = fingerprintToHex(facts.simhash);
}

/** A redirect on the way to a target's answer. The lease goes on; what it comes to waits until the hop is durable. */
export async function captureHop(
  parts: CaptureParts,
  what: Omit<ToCapture, "contentHash" | "scanned" | "history">,
  { location, undurable }: { readonly location: string; readonly undurable: Undurable },
): Promise<Hop> {
  const { exchange } = what;
  const contentHash = parts.digest.sha256Hex(exchange.decoded);
  const { facts, durable } = await captureSoon(parts, { ...what, contentHash });
  undurable.add(durable);
  return { url: exchange.url, http_code: exchange.status, location, capture: facts };
}
