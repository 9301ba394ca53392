/**
 * What is wrong with one record: mandatory fields, syntax, digests (ISO 28500 clauses 5 and 6).
 * Invariant: pure; an empty list means valid.
 */

import type { Digest } from "../../runtime/ports.ts";
import { fromBase32, fromBase64, toHex } from "./base32.ts";
import { holdsHttp, readHttpBlock } from "./payload.ts";
import type { WarcRecord } from "./reader.ts";
import { fieldOf } from "./record_parser.ts";

const MANDATORY = ["WARC-Type", "WARC-Record-ID", "WARC-Date"] as const;
const NEEDS_TARGET = new Set(["response", "resource", "request", "revisit", "conversion", "continuation"]);
const W3C_DATE = /^\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?)?)?$/;
/** Fields whose values are record ids in angle brackets. */
const IDS = ["WARC-Record-ID", "WARC-Concurrent-To", "WARC-Refers-To", "WARC-Warcinfo-ID"];
const TRUNCATIONS = new Set(["length", "time", "disconnect", "unspecified"]);

/** The problems of `record`, one sentence each without the full stop. */
export function recordProblems(record: WarcRecord, digest: Digest): string[] {
  return [...record.header.oddities, ...fieldProblems(record), ...digestProblems(record, digest)];
}

function fieldProblems({ header }: WarcRecord): string[] {
  const problems: string[] = [];
  for (const name of MANDATORY) if (!fieldOf(header, name)) problems.push(`${name} is missing`);
  const type = fieldOf(header, "WARC-Type") ?? "";
  const target = fieldOf(header, "WARC-Target-URI");
  if (NEEDS_TARGET.has(type) && !target) problems.push(`WARC-Target-URI is missing on a ${type} record`);
  if (type === "revisit" && !fieldOf(header, "WARC-Profile")) problems.push("WARC-Profile is missing on a revisit");
  if (type === "warcinfo" && target) problems.push("WARC-Target-URI stands on a warcinfo record");
  const date = fieldOf(header, "WARC-Date");
  if (date && !W3C_DATE.test(date)) problems.push(`WARC-Date is ${JSON.stringify(date)}, wanted YYYY-MM-DDThh:mm:ssZ`);
  for (const name of IDS) {
    const id = fieldOf(header, name);
    if (id !== undefined && !/^<[^<>\s]+:[^<>\s]+>$/.test(id)) {
      problems.push(`${name} is ${JSON.stringify(id)}, wanted a URI in angle brackets`);
    }
  }
  if (target && /\s/.test(target)) problems.push(`WARC-Target-URI ${JSON.stringify(target)} has white space in it`);
  const truncated = fieldOf(header, "WARC-Truncated");
  if (truncated && !TRUNCATIONS.has(truncated)) problems.push(`WARC-Truncated is ${JSON.stringify(truncated)}`);
  return problems;
}

function digestProblems(record: WarcRecord, digest: Digest): string[] {
  const { header, block } = record;
  // A revisit's payload digest is that of the capture it refers to (ISO 28500 6.7.2).
  if (fieldOf(header, "WARC-Type") === "revisit") return [];
  const problems: string[] = [];
  const blockDigest = fieldOf(header, "WARC-Block-Digest");
  if (blockDigest) problems.push(...digestProblem("WARC-Block-Digest", blockDigest, block, digest));
  const payloadDigest = fieldOf(header, "WARC-Payload-Digest");
  if (payloadDigest && fieldOf(header, "WARC-Segment-Number") === undefined) {
    const payload = holdsHttp(header) ? readHttpBlock(block).payload : block;
    problems.push(...digestProblem("WARC-Payload-Digest", payloadDigest, payload, digest));
  }
  return problems;
}

function digestProblem(name: string, stated: string, bytes: Uint8Array, digest: Digest): string[] {
  const colon = stated.indexOf(":");
  const algorithm = stated.slice(0, Math.max(0, colon)).toLowerCase().replace("-", "");
  if (algorithm !== "sha1" && algorithm !== "sha256") {
    return [`${name} ${stated} can't be checked: wanted sha1 or sha256`];
  }
  const found = algorithm === "sha1" ? toHex(fromBase32(digest.sha1Base32(bytes))!) : digest.sha256Hex(bytes);
  if (digestHex(stated.slice(colon + 1), found.length) === found) return [];
  return [`${name} is ${stated}, but the bytes have ${algorithm} ${found} (hex)`];
}

/** A digest's value as lower-case hex of `hexLength` digits; it may be written in hex, base32 or (some do) base64. */
function digestHex(value: string, hexLength: number): string {
  if (value.length === hexLength && /^[0-9a-f]+$/i.test(value)) return value.toLowerCase();
  const bytes = fromBase32(value);
  if (bytes && bytes.length * 2 === hexLength) return toHex(bytes);
  const base64 = fromBase64(value);
  return base64 ? toHex(base64) : "";
}
