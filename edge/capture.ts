/**
 * Archives one exchange and states its facts for the coordinator (promise 10: durable before reported).
 */

import type { CaptureFacts, Hop } from "../protocol/mod.ts";
import { fingerprintToHex } from "../protocol/mod.ts";
import type { EdgeParts } from "./parts.ts";
import type { Draft, Exchange } from "./ports.ts";
import { header, type Scanned } from "./steps/scan.ts";

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
  readonly facts?: Scanned["facts"] | undefined;
}

/** Resolves when the records are durable; rejects on local trouble only. */
export async function capture(parts: EdgeParts, what: ToCapture): Promise<CaptureFacts> {
  const { exchange, fetchedAt, captureName, facts } = what;
  const { record, payloadDigest } = await parts.archive.append({ exchange, fetchedAt, captureName });
  const built: Draft<CaptureFacts> = {
    fetched_at: fetchedAt,
    record,
    content_hash: what.contentHash,
    payload_digest: payloadDigest,
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
  if (facts !== undefined) addPageFacts(built, facts);
  return built;
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

/** A redirect on the way to a target's answer, archived. */
export async function captureHop(
  parts: EdgeParts,
  what: Omit<ToCapture, "contentHash" | "facts">,
  location: string,
): Promise<Hop> {
  const { exchange } = what;
  const contentHash = parts.digest.sha256Hex(exchange.decoded);
  return {
    url: exchange.url,
    http_code: exchange.status,
    location,
    capture: await capture(parts, { ...what, contentHash }),
  };
}
