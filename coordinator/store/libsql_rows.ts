/**
 * Rows to the JSON text that statements carry, and back.
 * Invariant: decode(encode(row)) equals row, bit for bit: 64-bit integers travel as decimal text, doubles as JSON text.
 */

import type { LeaseId, OutboxRow } from "../../protocol/mod.ts";
import type { AddressRow, DomainRow } from "../group_ports.ts";
import type { Batch, CrawlCounters, HostRow, LeaseRow, OriginRow, TallyRow, UrlKey, UrlRow } from "../ports.ts";
import type { ReceivedRow } from "../slot_ports.ts";
import { captureExtra, captureFacts } from "./capture_facts.ts";
import { URL_STATES } from "./schema.ts";

const text = JSON.stringify;

/** The columns that `decodeUrl` wants, of `url u`, `back_queue q` and `crawl c`. */
export const URL_COLUMNS =
  "u.slot, c.crawl_id, cast(u.fingerprint as text), q.host, q.domain, u.state, u.band, u.seq, u.url, json(u.facts)";

/** SQLite's integers are signed: the same 64 bits as two's complement, in decimal. */
export function signed(fingerprint: bigint): string {
  return BigInt.asIntN(64, fingerprint).toString();
}

/** The fingerprint that a signed integer (or its decimal text) stands for. */
export function unsigned(value: bigint | string): bigint {
  return BigInt.asUintN(64, BigInt(value));
}

/** `rows` as one JSON array of elements that are JSON text already. */
export function jsonArray<T>(rows: readonly T[], encode: (row: T) => string): string {
  let out = "[";
  for (let i = 0; i < rows.length; i++) out += (i === 0 ? "" : ",") + encode(rows[i]!);
  return out + "]";
}

/** What no statement searches by, in the order of `UrlFacts`. */
function urlFacts(row: UrlRow): UrlFacts {
  return [
    row.priority,
    row.depth,
    row.hop,
    row.discoveryPath,
    row.discoveredFrom,
    row.enqueuedAt,
    row.availableAt,
    row.attempts,
    row.reason,
    row.httpCode,
    row.lastFetchAt,
    row.inLinks,
    row.visits,
    row.changes,
    row.watchedMs,
    row.lastContentHash,
    row.captureSeq,
    row.worker,
  ];
}

/** [slot, crawl number, fingerprint, state, band, seq, available_at, url, facts, queue number]; a change needs no queue. */
export function encodeUrl(row: UrlRow, crawl: number, queue: number | null): string {
  const state = URL_STATES.indexOf(row.state);
  const position = `${state},${row.band},${row.seq},${Math.ceil(row.availableAt)}`;
  const rest = text([row.url, urlFacts(row), queue]);
  return `[${row.slot},${crawl},${signed(row.fingerprint)},${position},${rest.slice(1)}`;
}

type UrlFacts = [
  ...[number, number, number, string, string, number, number, number, string, number, number],
  ...[
    inLinks: number,
    visits: number,
    changes: number,
    watchedMs: number,
    lastContentHash: string,
    captureSeq?: number,
    worker?: string,
  ],
];
export type UrlColumns = [number, string, string, string, string, number, number, number, string, UrlFacts];

/** A row of `json_array(URL_COLUMNS)`. */
export function decodeUrl(columns: UrlColumns): UrlRow {
  const [slot, crawlId, fingerprint, host, domain, state, band, seq, url, facts] = columns;
  return {
    slot,
    crawlId,
    fingerprint: unsigned(fingerprint),
    url,
    host,
    domain,
    state: URL_STATES[state]!,
    band,
    seq,
    priority: facts[0],
    depth: facts[1],
    hop: facts[2],
    discoveryPath: facts[3],
    discoveredFrom: facts[4],
    enqueuedAt: facts[5],
    availableAt: facts[6],
    attempts: facts[7],
    reason: facts[8],
    httpCode: facts[9],
    lastFetchAt: facts[10],
    inLinks: facts[11],
    visits: facts[12],
    changes: facts[13],
    watchedMs: facts[14],
    lastContentHash: facts[15],
    captureSeq: facts[16] ?? 0,
    worker: facts[17] ?? "",
  };
}

export const encodeHost = (row: HostRow): string => `[${row.slot},${text(row.host)},${text(row)}]`;

export const encodeOrigin = (row: OriginRow): string => `[${row.slot},${text(row.origin)},${text(row)}]`;

export const encodeDomain = (row: DomainRow): string => `[${row.slot},${text(row.domain)},${text(row)}]`;

export const encodeAddress = (row: AddressRow): string => `[${row.slot},${text(row.address)},${text(row)}]`;

export function encodeLease(row: LeaseRow): string {
  const facts = text({ ...row, fingerprints: row.fingerprints.map((fingerprint) => signed(fingerprint)) });
  return `[${row.slot},${text(row.host)},${facts}]`;
}

export type LeaseFacts = Omit<LeaseRow, "fingerprints"> & { readonly fingerprints: readonly string[] };

export function decodeLease(facts: LeaseFacts): LeaseRow {
  return { ...facts, fingerprints: facts.fingerprints.map(unsigned) };
}

/** The body as a JSON text inside the JSON: a NUL in it would end SQLite's text. */
export const encodeBody = (row: { readonly digest: string; readonly body: string }): string =>
  text([row.digest, text(row.body)]);

type BatchCapture = Batch["captures"][number];

/** The first segment of a storage key (a worker's folder in a fleet), "" when it has only one. */
export function folderOf(storageKey: string): string {
  return storageKey.slice(0, Math.max(0, storageKey.indexOf("/")));
}

export function encodeCapture(row: BatchCapture): string {
  const key = row.record.storage_key;
  const rest = text([folderOf(key), key, captureFacts(row), captureExtra(row)]);
  return `[${row.seq},${row.slot},${signed(row.fingerprint)},${contentKey(row.content_hash)},${rest.slice(1)}`;
}

/** What captures are found by their content with: the first 64 bits of the hash, as SQLite's signed integer. */
export function contentKey(contentHash: string): string {
  return /^[0-9a-f]{16}/.test(contentHash) ? signed(BigInt(`0x${contentHash.slice(0, 16)}`)) : "0";
}

export const encodeOutbox = (row: OutboxRow): string =>
  text([row.slot, row.crawl_id, row.lease_id, row.seq, row.links]);

export const encodeLeaseSeq = (row: { readonly leaseId: LeaseId; readonly seq: number }): string =>
  text([row.leaseId, row.seq]);

export const encodeReceived = (row: ReceivedRow): string => text([row.slot, row.leaseId, row.seq]);

export const encodeCounters = (row: CrawlCounters, crawl: number): string =>
  `[${crawl},${text(row.crawlId)},${text(row)}]`;

export const encodeTally = (row: TallyRow): string =>
  `[${row.slot},${text(row.crawlId)},${text(row.host)},${text(row)}]`;

export const encodeKey = (key: UrlKey, crawl: number): string => `[${key.slot},${crawl},${signed(key.fingerprint)}]`;
