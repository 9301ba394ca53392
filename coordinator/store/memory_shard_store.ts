/**
 * A shard's storage in RAM: the executable specification of ShardStore, for tests and for runs that keep nothing.
 * Invariant: a batch is checked whole before any of it is applied; what lies on the MemoryShardDisk survives `close`.
 */

import type { AddressRow, DomainRow } from "../group_ports.ts";
import type {
  BackQueueSummary,
  Batch,
  CrawlCounters,
  HostRow,
  LeaseRow,
  OriginRow,
  ShardSnapshot,
  ShardStore,
  TallyRow,
  UrlKey,
  UrlRow,
} from "../ports.ts";
import type { SeenPartName, SeenState } from "../seen_ports.ts";
import { OwnerLost } from "../owner_ports.ts";
import type { ReceivedRow, SlotCursor, SlotMark, SlotPage } from "../slot_ports.ts";
import type { CaptureRow, CrawlId, Fingerprint, HostKey, LeaseId, OutboxRow } from "../../protocol/mod.ts";
import type { CaptureName, EarlierCapture } from "../recrawl_ports.ts";
import { captureExtra, captureFacts, earlierCapture } from "./capture_facts.ts";
import { saysNothing } from "./empty_rows.ts";
import { checkBatch } from "./memory_batch_check.ts";
import { type QueueKey, ReadyIndex, WaitingIndex } from "./memory_queue_index.ts";
import { MemorySeen } from "./memory_seen.ts";
import { applySlotWrites, memorySlotPage, memorySlotQueues } from "./memory_slots.ts";

type BatchCapture = Batch["captures"][number];

/** What a crash leaves: hand the same disk to a new MemoryShardStore to start again from it. */
export class MemoryShardDisk {
  keyVersion: number | undefined;
  owner = "";
  ownerTerm = 0;
  ownerWallMs = 0;
  batchSeq = 0;
  readonly urls = new Map<CrawlId, Map<Fingerprint, UrlRow>>();
  readonly ready = new ReadyIndex();
  readonly waiting = new WaitingIndex();
  readonly accepted = new Map<string, QueueKey & { count: number }>();
  readonly hosts = new Map<HostKey, HostRow>();
  readonly domains = new Map<string, DomainRow>();
  readonly addresses = new Map<string, AddressRow>();
  readonly origins = new Map<string, OriginRow>();
  readonly robotsBodies = new Map<string, string>();
  readonly leases = new Map<HostKey, LeaseRow>();
  captures: BatchCapture[] = [];
  readonly outbox = new Map<string, OutboxRow>();
  readonly received = new Map<string, ReceivedRow>();
  readonly marks = new Map<number, SlotMark>();
  readonly counters = new Map<CrawlId, CrawlCounters>();
  readonly seen = new MemorySeen();
  readonly tallies = new Map<string, TallyRow>();
  nextUrlSeq = 1;
  nextCaptureSeq = 1;
  urlCount = 0;

  withdraw(seqs: ReadonlySet<number>): void {
    this.captures = this.captures.filter(({ seq }) => !seqs.has(seq));
  }

  url(key: UrlKey): UrlRow | undefined {
    return this.urls.get(key.crawlId)?.get(key.fingerprint);
  }
}

const rowName = (row: { leaseId: string; seq: number }) => `${row.leaseId} ${row.seq}`;

export class MemoryShardStore implements ShardStore {
  readonly #disk: MemoryShardDisk;
  #term = -1;

  constructor(disk: MemoryShardDisk = new MemoryShardDisk()) {
    this.#disk = disk;
  }

  async open(owner: string, keyVersion: number, overTerm?: number): Promise<{ readonly ownerTerm: number }> {
    const disk = this.#disk;
    if (disk.keyVersion !== undefined && disk.keyVersion !== keyVersion) {
      throw new Error(
        `Opening the shard: it was written with keyVersion ${disk.keyVersion}; this program wants ${keyVersion}.`,
      );
    }
    if (overTerm !== undefined && overTerm !== disk.ownerTerm) {
      throw new OwnerLost(
        `Taking the shard over from owner term ${overTerm}: ${
          disk.owner || "nobody"
        } has it with term ${disk.ownerTerm}.`,
      );
    }
    disk.keyVersion = keyVersion;
    disk.owner = owner;
    this.#term = ++disk.ownerTerm;
    return { ownerTerm: this.#term };
  }

  async beat(wallMs: number): Promise<void> {
    if (this.#term !== this.#disk.ownerTerm) throw new OwnerLost("Beating: the shard has a newer owner.");
    this.#disk.ownerWallMs = wallMs;
  }

  async giveBack(): Promise<void> {
    const disk = this.#disk;
    if (this.#term !== disk.ownerTerm) return;
    disk.owner = "";
    disk.ownerTerm++;
  }

  async load(): Promise<ShardSnapshot> {
    const disk = this.#disk;
    return {
      batchSeq: disk.batchSeq,
      nextUrlSeq: disk.nextUrlSeq,
      nextCaptureSeq: disk.nextCaptureSeq,
      hosts: [...disk.hosts.values()],
      origins: [...disk.origins.values()],
      domains: [...disk.domains.values()],
      addresses: [...disk.addresses.values()],
      leases: [...disk.leases.values()],
      backQueues: [...disk.accepted.values()].map((queue) => this.#summary(queue)),
      counters: [...disk.counters.values()],
      outboxRows: disk.outbox.size,
      urlCount: disk.urlCount,
      tallies: [...disk.tallies.values()],
      marks: [...disk.marks.values()],
    };
  }

  #summary(queue: QueueKey & { count: number }): BackQueueSummary {
    const ready = this.#disk.ready.of(queue);
    const waiting = this.#disk.waiting.of(queue);
    return {
      slot: queue.slot,
      crawlId: queue.crawlId,
      host: queue.host,
      ready: ready.length,
      waiting: waiting.length,
      accepted: queue.count,
      band: ready[0]?.band ?? 0,
      nextAvailableAt: waiting[0]?.availableAt ?? 0,
    };
  }

  async commit(batch: Batch): Promise<void> {
    const disk = this.#disk;
    if (this.#term !== disk.ownerTerm) {
      throw new OwnerLost(
        `Committing batch ${batch.batchSeq}: the shard has owner term ${disk.ownerTerm}; this owner's is ${this.#term}.`,
      );
    }
    checkBatch(batch, disk);
    for (const row of batch.newUrls) this.#addUrl(row);
    for (const row of batch.changedUrls) this.#changeUrl(row);
    for (const row of batch.hosts) disk.hosts.set(row.host, row);
    for (const row of batch.domains) {
      if (saysNothing(row)) disk.domains.delete(row.domain);
      else disk.domains.set(row.domain, row);
    }
    for (const row of batch.addresses) {
      if (row.permits.length === 0) disk.addresses.delete(row.address);
      else disk.addresses.set(row.address, row);
    }
    for (const row of batch.origins) disk.origins.set(row.origin, row);
    for (const { digest, body } of batch.robotsBodies) {
      if (!disk.robotsBodies.has(digest)) disk.robotsBodies.set(digest, body);
    }
    for (const { host } of batch.endedLeases) disk.leases.delete(host);
    for (const row of batch.leases) disk.leases.set(row.host, row);
    disk.captures.push(...batch.captures);
    disk.nextCaptureSeq = batch.captures.reduce((next, { seq }) => Math.max(next, seq + 1), disk.nextCaptureSeq);
    if (batch.withdrawn !== undefined) disk.withdraw(new Set(batch.withdrawn));
    for (const row of batch.outbox) disk.outbox.set(rowName({ leaseId: row.lease_id, seq: row.seq }), row);
    for (const row of batch.ackedOutbox) disk.outbox.delete(rowName(row));
    for (const row of batch.received) disk.received.set(`${row.slot} ${rowName(row)}`, row);
    for (const row of batch.counters) disk.counters.set(row.crawlId, row);
    disk.seen.commit(batch.batchSeq, batch.seenLog, batch.seen);
    for (const row of batch.tallies) disk.tallies.set(`${row.crawlId} ${row.host}`, row);
    if (batch.slots !== undefined) applySlotWrites(disk, batch.slots);
    disk.batchSeq = batch.batchSeq;
    disk.ownerWallMs = batch.wallMs;
  }

  #addUrl(row: UrlRow): void {
    const disk = this.#disk;
    let rows = disk.urls.get(row.crawlId);
    if (rows === undefined) disk.urls.set(row.crawlId, rows = new Map());
    rows.set(row.fingerprint, row);
    disk.urlCount++;
    disk.nextUrlSeq = Math.max(disk.nextUrlSeq, row.seq + 1);
    const name = `${row.crawlId} ${row.host}`;
    const queue = disk.accepted.get(name);
    if (queue !== undefined) queue.count++;
    else disk.accepted.set(name, { slot: row.slot, crawlId: row.crawlId, host: row.host, count: 1 });
    this.#index(row);
  }

  #changeUrl(row: UrlRow): void {
    const rows = this.#disk.urls.get(row.crawlId)!;
    const before = rows.get(row.fingerprint)!;
    if (before.state === "ready") this.#disk.ready.remove(before);
    else if (before.state === "waiting") this.#disk.waiting.remove(before);
    rows.set(row.fingerprint, row);
    this.#disk.nextUrlSeq = Math.max(this.#disk.nextUrlSeq, row.seq + 1);
    this.#index(row);
  }

  #index(row: UrlRow): void {
    if (row.state === "ready") this.#disk.ready.add(row);
    else if (row.state === "waiting") this.#disk.waiting.add(row);
  }

  async lastBatchSeq(): Promise<number> {
    return this.#disk.batchSeq;
  }

  async readReady(queue: QueueKey, after: { band: number; seq: number }, limit: number): Promise<UrlRow[]> {
    return this.#disk.ready.after(queue, after, limit);
  }

  async readWaiting(queue: QueueKey, until: number, limit: number): Promise<UrlRow[]> {
    const rows = this.#disk.waiting.of(queue);
    const end = rows.findIndex((row) => row.availableAt > until);
    return rows.slice(0, Math.min(limit, end < 0 ? rows.length : end));
  }

  async readyBefore(
    queue: Parameters<ShardStore["readyBefore"]>[0],
    place: Parameters<ShardStore["readyBefore"]>[1],
    limit: number,
  ): Promise<number> {
    const rows = this.#disk.ready.of(queue);
    return Math.min(
      limit,
      rows.filter(({ band, seq }) => band < place.band || (band === place.band && seq < place.seq)).length,
    );
  }

  lookUp(keys: readonly UrlKey[]): Promise<(UrlRow | undefined)[]> {
    return this.urls(keys);
  }

  async urls(keys: readonly UrlKey[]): Promise<(UrlRow | undefined)[]> {
    return keys.map((key) => this.#disk.url(key));
  }

  async receivedBefore(rows: readonly ReceivedRow[]): Promise<Uint8Array> {
    return Uint8Array.from(rows, (row) => this.#disk.received.has(`${row.slot} ${rowName(row)}`) ? 1 : 0);
  }

  async readOutbox(limit: number): Promise<OutboxRow[]> {
    return this.#disk.outbox.values().take(limit).toArray();
  }

  async outboxRows(names: readonly { leaseId: LeaseId; seq: number }[]): Promise<OutboxRow[]> {
    return names.flatMap((name) => this.#disk.outbox.get(rowName(name)) ?? []);
  }

  async robotsBody(digest: string): Promise<string | undefined> {
    return this.#disk.robotsBodies.get(digest);
  }

  async captures(storagePrefix: string, afterSeq: number, limit: number): Promise<CaptureRow[]> {
    const all = this.#disk.captures;
    let low = 0;
    for (let high = all.length; low < high;) {
      const middle = (low + high) >>> 1;
      if (all[middle]!.seq <= afterSeq) low = middle + 1;
      else high = middle;
    }
    const found: CaptureRow[] = [];
    for (let at = low; at < all.length && found.length < limit; at++) {
      if (all[at]!.record.storage_key.startsWith(storagePrefix)) found.push(asStored(captureFacts(all[at]!)));
    }
    return found;
  }

  async slotMarks(): Promise<SlotMark[]> {
    return [...this.#disk.marks.values()].sort((a, b) => a.slot - b.slot);
  }

  async slotPage(slot: number, cursor: SlotCursor | undefined, limit: number): Promise<SlotPage> {
    return memorySlotPage(this.#disk, slot, cursor, limit);
  }

  async slotQueues(slot: number): Promise<BackQueueSummary[]> {
    return memorySlotQueues(this.#disk, slot, (queue) => this.#summary(queue));
  }

  seenState(): Promise<SeenState> {
    return this.#disk.seen.seenState();
  }

  seenLog(batchSeq: number, limit: number): Promise<{ batchSeq: number; keys: Uint8Array }[]> {
    return this.#disk.seen.seenLog(batchSeq, limit);
  }

  seenBlocks(ids: readonly number[]): Promise<Uint8Array[]> {
    return this.#disk.seen.seenBlocks(ids);
  }

  seenPart(part: SeenPartName): Promise<Uint8Array | undefined> {
    return this.#disk.seen.seenPart(part);
  }

  async readSettled(crawlId: CrawlId, from: { cursor: number; before: number }, limit: number) {
    const rows: UrlRow[] = [];
    let cursor = from.cursor;
    for (const row of this.#disk.urls.get(crawlId)?.values().drop(cursor) ?? []) {
      if (rows.length === limit) break;
      cursor++;
      if (row.state !== "ready" && row.state !== "waiting" && row.lastFetchAt < from.before) rows.push(row);
    }
    return { rows, cursor };
  }

  async earlierCaptures(names: readonly CaptureName[]): Promise<(EarlierCapture | undefined)[]> {
    return names.map(({ slot, fingerprint, seq }) => {
      const row = this.#disk.captures.find((one) => one.seq === seq);
      if (row?.slot !== slot || row.fingerprint !== fingerprint) return undefined;
      return earlierCapture(captureFacts(row), captureExtra(row));
    });
  }

  async capturesOfContent(contentHash: string, limit: number): Promise<CaptureRow[]> {
    const found = this.#disk.captures.filter(({ content_hash }) => content_hash === contentHash);
    return found.reverse().slice(0, limit).map((row) => asStored(captureFacts(row)));
  }

  async close(): Promise<void> {
    this.#term = -1;
  }
}

/** Through JSON, which drops what is undefined. */
function asStored(facts: ReturnType<typeof captureFacts>): CaptureRow {
  return JSON.parse(JSON.stringify(facts)) as CaptureRow;
}
