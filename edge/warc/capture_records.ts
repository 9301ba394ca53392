/**
 * The request and the response record of one exchange.
 * Invariant: both have the date of the fetch's start and name each other; ids come from the capture's name alone;
 * the payload is the body as received with the transfer-coding removed (ISO 28500 6.3.2), and is what is digested.
 */

import type { Digest } from "../../runtime/ports.ts";
import type { ArchiveEntry } from "../ports.ts";
import { storedHead } from "./http_head.ts";
import { recordParts } from "./record.ts";
import { recordId } from "./record_id.ts";
import { isoDate } from "./timestamp.ts";

export interface CaptureRecords {
  readonly request: Uint8Array[];
  readonly response: Uint8Array[];
  /** `sha1:` + base32 of the stored payload. */
  readonly payloadDigest: string;
}

/** Values of the WARC-Protocol field proposal (iipc/warc-specifications issue 42). */
const PROTOCOLS: Readonly<Record<string, string>> = { "1.0": "http/1.0", "1.1": "http/1.1", "2": "h2" };

const IPV4 = /^[0-9.]+$/;

/** An IP address as WARC-IP-Address wants it: no brackets, no zone. */
function plainAddress(address: string): string | undefined {
  if (IPV4.test(address)) return address;
  const plain = address.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  return plain === "" ? undefined : plain;
}

function withoutFragment(url: string): string {
  const hash = url.indexOf("#");
  return hash < 0 ? url : url.slice(0, hash);
}

/** Builds both records of `entry`, not yet compressed. */
export function captureRecords(entry: ArchiveEntry, digest: Digest): CaptureRecords {
  const { exchange } = entry;
  const requestId = recordId(`${entry.captureName}/request`, digest);
  const responseId = recordId(`${entry.captureName}/response`, digest);
  const shared = [
    ["WARC-Date", isoDate(entry.fetchedAt)],
    ["WARC-Target-URI", withoutFragment(exchange.url)],
    ["WARC-IP-Address", plainAddress(exchange.remoteAddress)],
    ["WARC-Protocol", PROTOCOLS[exchange.httpVersion]],
  ] as const;
  const payloadDigest = `sha1:${digest.sha1Base32(exchange.body)}`;
  const block = [storedHead(exchange, exchange.body.length), exchange.body] as const;
  const request = recordParts([
    ["WARC-Type", "request"],
    ["WARC-Record-ID", requestId],
    ["WARC-Concurrent-To", responseId],
    ...shared,
    ["WARC-Block-Digest", `sha1:${digest.sha1Base32(exchange.requestHead)}`],
    ["Content-Type", "application/http;msgtype=request"],
  ], [exchange.requestHead]);
  const response = recordParts([
    ["WARC-Type", "response"],
    ["WARC-Record-ID", responseId],
    ["WARC-Concurrent-To", requestId],
    ...shared,
    ["WARC-Truncated", exchange.truncated],
    ["WARC-Payload-Digest", payloadDigest],
    ["WARC-Block-Digest", `sha1:${digest.sha1Base32(...block)}`],
    ["Content-Type", "application/http;msgtype=response"],
  ], block);
  return { request, response, payloadDigest };
}
