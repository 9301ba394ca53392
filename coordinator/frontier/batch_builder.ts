/**
 * Gathers what one round changes into one Batch.
 * Invariant: each key stands once per array, with its newest row; where a lease ends and its host's next is granted in one
 * round, both are told.
 */

import type { AddressRow, DomainRow } from "../group_ports.ts";
import type { Batch, LeaseRow, OriginRow, UrlRow } from "../ports.ts";
import type { CrawlId, Fingerprint, HostKey, Origin, OutboxLink, OutboxRow } from "../../protocol/mod.ts";
import { EMPTY_PAGE, type ReceivedRow, type SlotMark, type SlotPage, type SlotWrites } from "../slot_ports.ts";
import { copyCounts, type Counts } from "./counters.ts";
import { hostRow, type HostState, leaseRow, type LeaseState } from "./host_state.ts";
import { type Tally, tallyRow } from "./door/tally.ts";

type Rows = Map<CrawlId, Map<Fingerprint, UrlRow>>;
type Capture = Batch["captures"][number];
type RowName = Batch["ackedOutbox"][number];

/** Links in one outbox row. */
const LINKS_PER_ROW = 500;
/** Outbox rows that one batch may hold: makes their numbers unique for ever, as batch numbers are. */
const ROWS_PER_BATCH = 1_000_000;

interface ForeignLinks {
  readonly slot: number;
  readonly crawlId: CrawlId;
  readonly sender: string;
  readonly links: OutboxLink[];
}

export class BatchBuilder {
  readonly #newUrls: Rows = new Map();
  readonly #changedUrls: Rows = new Map();
  readonly #hosts = new Set<HostState>();
  readonly #origins = new Map<Origin, OriginRow>();
  readonly #domains = new Map<string, DomainRow>();
  readonly #addresses = new Map<string, AddressRow>();
  readonly #bodies = new Map<string, string>();
  readonly #leases = new Map<HostKey, LeaseState>();
  readonly #ended = new Map<HostKey, { slot: number; host: HostKey }>();
  readonly #counters = new Set<Counts>();
  readonly #tallies = new Set<Tally>();
  readonly #foreign = new Map<string, ForeignLinks>();
  readonly #captures: Capture[] = [];
  readonly #withdrawn: number[] = [];
  readonly #acked: RowName[] = [];
  readonly #received: ReceivedRow[] = [];
  readonly #marks = new Map<number, SlotMark>();
  readonly #endedMarks = new Set<number>();
  readonly #arrivals: { readonly page: SlotPage; readonly fresh: readonly UrlRow[] }[] = [];
  #deletion: SlotWrites["deletion"];

  addUrl(row: UrlRow): void {
    rowsOf(this.#newUrls, row.crawlId).set(row.fingerprint, row);
  }

  /** The URL was accepted in this very round. */
  newUrl(crawlId: CrawlId, fingerprint: Fingerprint): UrlRow | undefined {
    return this.#newUrls.get(crawlId)?.get(fingerprint);
  }

  /** The URL's newest row, if this round changed it. */
  changedUrl(crawlId: CrawlId, fingerprint: Fingerprint): UrlRow | undefined {
    return this.newUrl(crawlId, fingerprint) ?? this.#changedUrls.get(crawlId)?.get(fingerprint);
  }

  /** URLs of this round that the seen-set doesn't have yet: those that were accepted, and those that came with a slot. */
  *newRows(): Iterable<UrlRow> {
    for (const rows of this.#newUrls.values()) yield* rows.values();
    for (const { fresh } of this.#arrivals) yield* fresh;
  }

  changeUrl(row: UrlRow): void {
    const fresh = this.#newUrls.get(row.crawlId);
    if (fresh?.has(row.fingerprint)) fresh.set(row.fingerprint, row);
    else rowsOf(this.#changedUrls, row.crawlId).set(row.fingerprint, row);
  }

  changeHost(host: HostState): void {
    this.#hosts.add(host);
  }

  changeOrigin(row: OriginRow): void {
    this.#origins.set(row.origin, row);
  }

  changeDomain(row: DomainRow): void {
    this.#domains.set(row.domain, row);
  }

  changeAddress(row: AddressRow): void {
    this.#addresses.set(row.address, row);
  }

  addBody(digest: string, body: string): void {
    this.#bodies.set(digest, body);
  }

  putLease(lease: LeaseState): void {
    this.#leases.set(lease.host.host, lease);
  }

  endLease(lease: LeaseState): void {
    const { slot, host } = lease.host;
    this.#leases.delete(host);
    this.#ended.set(host, { slot, host });
  }

  addCapture(capture: Capture): void {
    this.#captures.push(capture);
  }

  /** These captures are no more. */
  withdrawCaptures(seqs: readonly number[]): void {
    for (const seq of seqs) this.#withdrawn.push(seq);
  }

  changeTally(tally: Tally): void {
    this.#tallies.add(tally);
  }

  changeCounts(counts: Counts): void {
    this.#counters.add(counts);
  }

  /** A link that goes elsewhere, with the others of its group; `sender` names the lease that found it first. */
  addForeign(group: string, to: { slot: number; crawlId: CrawlId; sender: string }, link: OutboxLink): void {
    const name = `${group} ${to.crawlId}`;
    let row = this.#foreign.get(name);
    if (row === undefined) this.#foreign.set(name, row = { ...to, links: [] });
    row.links.push(link);
  }

  ackOutbox(row: RowName): void {
    this.#acked.push(row);
  }

  receive(row: ReceivedRow): void {
    this.#received.push(row);
  }

  putMark(mark: SlotMark): void {
    this.#marks.set(mark.slot, mark);
  }

  endMark(slot: number): void {
    this.#marks.delete(slot);
    this.#endedMarks.add(slot);
  }

  /** Rows of a slot that comes here, as they are; the seen-set doesn't have `fresh` of its URLs yet. */
  arrive(page: SlotPage, fresh: readonly UrlRow[]): void {
    this.#arrivals.push({ page, fresh });
  }

  /** Deletes up to `rows` rows of the slot from each of its tables. */
  deleteSlotRows(slot: number, rows: number): void {
    this.#deletion = { slot, rows };
  }

  get isEmpty(): boolean {
    return this.#hosts.size === 0 && this.#counters.size === 0 && this.#leases.size === 0 && this.#ended.size === 0 &&
      this.#newUrls.size === 0 && this.#changedUrls.size === 0 && this.#origins.size === 0 &&
      this.#acked.length === 0 && this.#received.length === 0 && this.#captures.length === 0 &&
      this.#foreign.size === 0 && this.#domains.size === 0 && this.#addresses.size === 0 &&
      this.#tallies.size === 0 && this.#withdrawn.length === 0 && this.#marks.size === 0 &&
      this.#endedMarks.size === 0 &&
      this.#arrivals.length === 0 && this.#deletion === undefined;
  }

  /** `wallMs`: now. */
  build(batchSeq: number, wallMs: number): Batch {
    const came = <Name extends keyof typeof EMPTY_PAGE>(name: Name) =>
      this.#arrivals.flatMap(({ page }) => page[name] as SlotPage[Name][number][]);
    return {
      batchSeq,
      wallMs,
      newUrls: [...flatten(this.#newUrls), ...came("urls")],
      changedUrls: flatten(this.#changedUrls),
      hosts: [...Array.from(this.#hosts, hostRow), ...came("hosts")],
      origins: [...this.#origins.values(), ...came("origins")],
      domains: [...this.#domains.values(), ...came("domains")],
      addresses: [...this.#addresses.values(), ...came("addresses")],
      robotsBodies: [...Array.from(this.#bodies, ([digest, body]) => ({ digest, body })), ...came("robotsBodies")],
      leases: Array.from(this.#leases.values(), leaseRow) satisfies LeaseRow[],
      endedLeases: [...this.#ended.values()],
      captures: this.#captures,
      ...(this.#withdrawn.length === 0 ? {} : { withdrawn: this.#withdrawn }),
      outbox: this.#outboxRows(batchSeq),
      ackedOutbox: this.#acked,
      received: [...this.#received, ...came("received")],
      counters: Array.from(this.#counters, copyCounts),
      tallies: [...Array.from(this.#tallies, tallyRow), ...came("tallies")],
      ...this.#slots(),
    };
  }

  #slots(): Pick<Batch, "slots"> {
    if (this.#marks.size === 0 && this.#endedMarks.size === 0 && this.#deletion === undefined) return {};
    return {
      slots: {
        marks: [...this.#marks.values()],
        endedMarks: [...this.#endedMarks],
        ...(this.#deletion === undefined ? {} : { deletion: this.#deletion }),
      },
    };
  }

  #outboxRows(batchSeq: number): OutboxRow[] {
    const rows: OutboxRow[] = [];
    for (const { slot, crawlId, sender, links } of this.#foreign.values()) {
      for (let start = 0; start < links.length; start += LINKS_PER_ROW) {
        const seq = batchSeq * ROWS_PER_BATCH + rows.length;
        rows.push({ slot, crawl_id: crawlId, lease_id: sender, seq, links: links.slice(start, start + LINKS_PER_ROW) });
      }
    }
    return rows;
  }
}

function rowsOf(rows: Rows, crawlId: CrawlId): Map<Fingerprint, UrlRow> {
  let found = rows.get(crawlId);
  if (found === undefined) rows.set(crawlId, found = new Map());
  return found;
}

function flatten(rows: Rows): UrlRow[] {
  const flat: UrlRow[] = [];
  for (const some of rows.values()) for (const row of some.values()) flat.push(row);
  return flat;
}
