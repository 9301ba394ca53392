/**
 * Rows for tests of the shard store: whole, with every field telling its row apart.
 * Invariant: a row made twice from the same arguments is equal.
 */

import type { AddressRow, DomainRow } from "../../coordinator/group_ports.ts";
import type {
  Batch,
  CrawlCounters,
  HostRow,
  LeaseRow,
  OriginRow,
  ShardStore,
  TallyRow,
  UrlKey,
  UrlRow,
} from "../../coordinator/ports.ts";
import type { OutboxRow } from "../../protocol/mod.ts";

export function urlRow(seq: number, over: Partial<UrlRow> = {}): UrlRow {
  const host = over.host ?? "a.example";
  return {
    slot: 7,
    crawlId: "default",
    fingerprint: (BigInt(seq) * 0x9e3779b97f4a7c15n) & ((1n << 64n) - 1n),
    url: `https://${host}/page/${seq}?q=%C3%A9`,
    host,
    domain: "a.example",
    state: "ready",
    band: 3,
    seq,
    priority: 0.1 + 0.2,
    depth: 2,
    hop: 1,
    discoveryPath: "ILR",
    discoveredFrom: `https://${host}/`,
    enqueuedAt: 1_790_000_000_000 + seq,
    availableAt: 0,
    attempts: 0,
    reason: "",
    httpCode: 0,
    lastFetchAt: 0,
    inLinks: 4,
    visits: 0,
    changes: 0,
    watchedMs: 0,
    lastContentHash: "",
    captureSeq: 0,
    worker: "",
    ...over,
  };
}

export const keyOf = ({ slot, crawlId, fingerprint }: UrlRow): UrlKey => ({ slot, crawlId, fingerprint });

/** For each key, 1 when the store holds its URL. */
export async function held(store: Pick<ShardStore, "urls">, keys: readonly UrlKey[]): Promise<number[]> {
  return (await store.urls(keys)).map((row) => row === undefined ? 0 : 1);
}

export function hostRow(host: string, over: Partial<HostRow> = {}): HostRow {
  return {
    slot: 7,
    host,
    domain: "a.example",
    epoch: 3,
    nextStartAt: 1_790_000_000_500.25,
    crawlDelayMs: 2000,
    responseMs: 123.456789012345,
    backoffMs: 0,
    failuresInRow: 1,
    successesInRow: 0,
    policyDelayMs: -1,
    policyMaxParallel: -1,
    paused: false,
    blockedReason: "",
    regions: [{
      region: "eu",
      connectTimesMs: [12.5, 13],
      tries: 2,
      refusals: 0,
      refusedSince: 0,
      answeredAt: 1_790_000_000_000,
      leasedAt: 1_790_000_000_000,
    }],
    homeRegion: "eu",
    policyRegion: "",
    address: "192.0.2.7",
    ...over,
  };
}

export function domainRow(domain: string, over: Partial<DomainRow> = {}): DomainRow {
  return {
    slot: 7,
    domain,
    policyDelayMs: 500,
    policyMaxParallel: -1,
    paused: false,
    blockedReason: "",
    visits: [{ id: "v1", startsUntil: 1_790_000_001_000.5, parallelUntil: 1_790_000_030_000 }],
    ...over,
  };
}

export function addressRow(address: string, over: Partial<AddressRow> = {}): AddressRow {
  const until = { startsUntil: 1_790_000_120_000.25, parallelUntil: 1_790_000_120_000.25 };
  return {
    slot: 9,
    address,
    permits: [{ leaseId: `lease-${address}`, workerId: "w1", starts: 1, parallel: 2, ...until }],
    ...over,
  };
}

export function originRow(origin: string, over: Partial<OriginRow> = {}): OriginRow {
  return {
    slot: 7,
    origin,
    host: "a.example",
    class: "rules",
    digest: "d1",
    lastGoodDigest: "d1",
    fetchedAt: 1_790_000_000_000,
    expiresAt: 1_790_086_400_000,
    failingSince: 0,
    retryAt: 0,
    retryMs: 0,
    epoch: 3,
    sitemaps: [`${origin}/sitemap.xml`],
    ...over,
  };
}

export function leaseRow(host: string, over: Partial<LeaseRow> = {}): LeaseRow {
  return {
    slot: 7,
    host,
    domain: "a.example",
    leaseId: `lease-${host}`,
    epoch: 4,
    crawlId: "default",
    workerId: "worker-1",
    grantedAt: 1_790_000_000_000,
    expiresAt: 1_790_000_090_000,
    gapMs: 1234.5,
    maxParallel: 2,
    isPolite: true,
    fingerprints: [0n, 1n, (1n << 63n) - 1n, 1n << 63n, (1n << 64n) - 1n],
    robotsOrigins: [`https://${host}`],
    region: "eu",
    ...over,
  };
}

export function captureRow(
  seq: number,
  storageKey: string,
  over: Partial<Batch["captures"][number]> = {},
): Batch["captures"][number] {
  return {
    seq,
    slot: 7,
    fingerprint: (1n << 64n) - BigInt(seq),
    crawl_id: "default",
    url: `https://a.example/${seq}`,
    kind: "page",
    role: "answer",
    http_code: 200,
    depth: 1,
    discovered_from: "https://a.example/",
    fetched_at: 1_790_000_000_000 + seq,
    record: { storage_key: storageKey, offset: 10 * seq, length: 9 },
    content_hash: "ab".repeat(32),
    payload_digest: "sha1:AAAA",
    length: 100,
    content_type: "text/html",
    textHash: "00ff00ff00ff00ff",
    etag: '"e"',
    noindex: true,
    ...over,
  };
}

export function outboxRow(leaseId: string, seq: number): OutboxRow {
  const link = { depth: 1, hop: 0, discovery_path: "L", discovered_from: "https://a.example/", priority: 0.3 };
  return {
    slot: 9,
    crawl_id: "default",
    lease_id: leaseId,
    seq,
    links: [{ url: `https://b.example/${seq}`, ...link }],
  };
}

export function counters(crawlId: string, over: Partial<CrawlCounters> = {}): CrawlCounters {
  return {
    crawlId,
    accepted: 10,
    settled: 1,
    fetched: 1,
    pages: 1,
    sitemaps: 0,
    redirected: 0,
    excluded: 0,
    dead: 0,
    bytes: 1234,
    requests: 2,
    sent: 0,
    received: 0,
    rejectedByReason: { scope: 3 },
    errorsByClass: { dns: 1 },
    leasesByRegion: { eu: 4 },
    leasesPlaced: 3,
    leasesHome: 2,
    ...over,
  };
}

export function tallyRow(host: string, over: Partial<TallyRow> = {}): TallyRow {
  return {
    slot: 7,
    crawlId: "default",
    host,
    cycle: 2,
    acceptedBefore: 17,
    pages: 210,
    duplicates: 190,
    isCut: true,
    rejectedByReason: { duplicates: 5, calendar: 1 },
    families: [
      { shape: 4_000_000_000, accepted: 3, ahead: 1, pages: 2, duplicates: 0, barren: 1, lastLength: 4096 },
      { shape: 1, accepted: 1, ahead: 0, pages: 0, duplicates: 0, barren: 0, lastLength: -1 },
    ],
    ...over,
  };
}

/** A batch that holds `part` and nothing else. */
export function batch(batchSeq: number, part: Partial<Omit<Batch, "batchSeq">> = {}): Batch {
  return {
    batchSeq,
    wallMs: 1_790_000_000_000 + batchSeq,
    newUrls: [],
    changedUrls: [],
    hosts: [],
    origins: [],
    domains: [],
    addresses: [],
    robotsBodies: [],
    leases: [],
    endedLeases: [],
    captures: [],
    outbox: [],
    ackedOutbox: [],
    received: [],
    counters: [],
    tallies: [],
    ...part,
  };
}
