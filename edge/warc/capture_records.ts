/**
 * The records of one exchange: request, response (or revisit), metadata.
 * Invariant: all have the date of the fetch's start, and those beside the response name it; ids come from the capture's
 * name alone; the payload is the body as received with the transfer-coding removed (ISO 28500 6.3.2), and is what is
 * digested. A revisit has the digest of the capture that it refers to and no payload of its own.
 */

import type { Digest } from "../../runtime/ports.ts";
import type { ArchiveEntry } from "../ports.ts";
import { storedHead } from "./http_head.ts";
import { metadataBlock } from "./metadata_block.ts";
import { recordParts, type WarcFields } from "./record.ts";
import { recordId } from "./record_id.ts";
import { isoDate } from "./timestamp.ts";

export interface CaptureRecords {
  readonly request: Uint8Array[];
  /** The record that captures point at: a response, or a revisit. */
  readonly answer: Uint8Array[];
  readonly metadata: Uint8Array[];
}

/** Values of the WARC-Protocol field proposal (iipc/warc-specifications issue 42). */
const PROTOCOLS: Readonly<Record<string, string>> = { "1.0": "http/1.0", "1.1": "http/1.1", "2": "h2" };

/** ISO 28500 6.7.2 and 6.7.3. */
const PROFILES = "http://netpreserve.org/warc/1.1/revisit/";

const IPV4 = /^[0-9.]+$/;

/** An IP address as WARC-IP-Address wants it: no brackets, no zone. */
function plainAddress(address: string): string | undefined {
  if (IPV4.test(address)) return address;
  const plain = address.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  return plain === "" ? undefined : plain;
}

/** As the same proposal writes it: `tls/1.3` for `TLSv1.3`. */
function tlsProtocol(version: string | undefined): string | undefined {
  const found = version === undefined ? undefined : /^TLSv(1(?:\.\d)?)$/.exec(version);
  return found ? `tls/${found[1] === "1" ? "1.0" : found[1]}` : undefined;
}

function withoutFragment(url: string): string {
  const hash = url.indexOf("#");
  return hash < 0 ? url : url.slice(0, hash);
}

/** The id of the record that a capture's name points at. */
export function answerId(captureName: string, digest: Digest): string {
  return recordId(`${captureName}/response`, digest);
}

/** Builds the records of `entry`, not yet compressed. */
export function captureRecords(entry: ArchiveEntry, digest: Digest): CaptureRecords {
  const { exchange } = entry;
  const requestId = recordId(`${entry.captureName}/request`, digest);
  const id = answerId(entry.captureName, digest);
  const shared = [
    ["WARC-Date", isoDate(entry.fetchedAt)],
    ["WARC-Target-URI", withoutFragment(exchange.url)],
    ["WARC-IP-Address", plainAddress(exchange.remoteAddress)],
    ["WARC-Protocol", PROTOCOLS[exchange.httpVersion]],
    ["WARC-Protocol", tlsProtocol(exchange.tlsVersion)],
  ] as const;
  const request = recordParts([
    ["WARC-Type", "request"],
    ["WARC-Record-ID", requestId],
    ["WARC-Concurrent-To", id],
    ...shared,
    ["WARC-Block-Digest", `sha1:${digest.sha1Base32(exchange.requestHead)}`],
    ["Content-Type", "application/http;msgtype=request"],
  ], [exchange.requestHead]);
  const head = storedHead(exchange, exchange.body.length);
  const block = entry.refersTo === undefined ? [head, exchange.body] : [head];
  const answer = recordParts([
    ["WARC-Type", entry.refersTo === undefined ? "response" : "revisit"],
    ["WARC-Record-ID", id],
    ["WARC-Concurrent-To", requestId],
    ...shared,
    ...(entry.refersTo === undefined
      ? [["WARC-Truncated", exchange.truncated] as const]
      : revisitFields(entry, digest)),
    ["WARC-Payload-Digest", entry.refersTo?.payloadDigest ?? entry.payloadDigest],
    ["WARC-Block-Digest", `sha1:${digest.sha1Base32(...block)}`],
    ["Content-Type", "application/http;msgtype=response"],
  ], block);
  const facts = metadataBlock(entry);
  const metadata = recordParts([
    ["WARC-Type", "metadata"],
    ["WARC-Record-ID", recordId(`${entry.captureName}/metadata`, digest)],
    ["WARC-Concurrent-To", id],
    ["WARC-Date", isoDate(entry.fetchedAt)],
    ["WARC-Target-URI", withoutFragment(exchange.url)],
    ["WARC-Block-Digest", `sha1:${digest.sha1Base32(facts)}`],
    ["Content-Type", "application/warc-fields"],
  ], [facts]);
  return { request, answer, metadata };
}

/** ISO 28500 6.7: which earlier capture has the payload. A reader finds it by URI and date, or by digest. */
function revisitFields({ exchange, refersTo }: ArchiveEntry, digest: Digest): WarcFields {
  const { url, fetchedAt, captureName } = refersTo!;
  const profile = exchange.status === 304 ? "server-not-modified" : "identical-payload-digest";
  return [
    ["WARC-Profile", PROFILES + profile],
    ["WARC-Refers-To", captureName === undefined ? undefined : answerId(captureName, digest)],
    ["WARC-Refers-To-Target-URI", withoutFragment(url)],
    ["WARC-Refers-To-Date", isoDate(fetchedAt)],
  ];
}
