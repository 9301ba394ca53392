/**
 * Watches every commit of every shard: conservation, fences and clocks as the rows tell them.
 * Invariant: knows only what batches say, so that a frontier that contradicts itself is found in the commit that does it.
 */

import type { Batch, LeaseRow, UrlRow } from "../../../coordinator/ports.ts";
import type { CrawlId, Fingerprint, HostKey, LeaseId } from "../../../protocol/mod.ts";
import type { Verdict } from "./verdict.ts";

export interface KnownLease {
  readonly row: LeaseRow;
  readonly since: number;
  /** Virtual ms; undefined while it is out. */
  endedAt: number | undefined;
}

export interface CommitRules {
  /** Slots go from shard to shard: rows come again elsewhere, and counts are kept by all shards together. */
  readonly movesSlots: boolean;
  readonly domainInFlight: number;
  /** Hosts and crawls that an operator stopped, with an answer. */
  readonly pausedHosts: ReadonlySet<HostKey>;
  readonly pausedCrawls: ReadonlySet<CrawlId>;
  readonly maxPages: ReadonlyMap<CrawlId, number>;
}

export interface Committed {
  readonly shard: number;
  /** The machine whose clock the batch's times are of. */
  readonly by: string;
  /** Virtual ms. */
  readonly now: number;
}

interface Tally {
  readonly byState: Map<UrlRow["state"], number>;
  accepted: number;
}

type Counters = Batch["counters"][number];
const SETTLED: ReadonlySet<UrlRow["state"]> = new Set(["done", "excluded", "dead"]);

export class CommitCheck {
  readonly #verdict: Verdict;
  readonly #rules: CommitRules;
  readonly leases = new Map<LeaseId, KnownLease>();
  /** The lease that is out, by host. */
  readonly liveLease = new Map<HostKey, KnownLease>();
  readonly #urls = new Map<CrawlId, Map<Fingerprint, UrlRow>>();
  readonly #tallies = new Map<string, Tally>();
  readonly #counters = new Map<string, Counters>();
  readonly #epochs = new Map<HostKey, number>();
  readonly #nextStart = new Map<HostKey, { readonly at: number; readonly by: string }>();
  readonly #captured = new Set<string>();
  /** Links in outbox rows that no shard has received yet, by row name. */
  readonly #underWay = new Map<string, { readonly crawlId: CrawlId; readonly links: number }>();
  readonly #received = new Set<string>();
  /** Targets that an edge handed back though their lease stands: `<lease> <fingerprint>`; the lease's row names them still. */
  readonly handedBack = new Set<string>();

  constructor(verdict: Verdict, rules: CommitRules) {
    this.#verdict = verdict;
    this.#rules = rules;
  }

  url(crawlId: CrawlId, fingerprint: Fingerprint): UrlRow | undefined {
    return this.#urls.get(crawlId)?.get(fingerprint);
  }

  urlsOf(crawlId: CrawlId): ReadonlyMap<Fingerprint, UrlRow> {
    return this.#urls.get(crawlId) ?? new Map();
  }

  countersOf(crawlId: CrawlId): Counters[] {
    return [...this.#counters.values()].filter((row) => row.crawlId === crawlId);
  }

  isReceived(name: string): boolean {
    return this.#received.has(name);
  }

  linksUnderWay(crawlId: CrawlId): number {
    let links = 0;
    for (const row of this.#underWay.values()) if (row.crawlId === crawlId) links += row.links;
    return links;
  }

  committed(batch: Batch, { shard, by, now }: Committed): void {
    for (const row of batch.newUrls) this.#newUrl(shard, row);
    for (const row of batch.changedUrls) this.#changedUrl(shard, row);
    this.#hosts(batch, by);
    this.#leasesOf(batch, now);
    for (const capture of batch.captures) this.#capture(capture);
    this.#outbox(batch);
    for (const row of batch.counters) this.#counters.set(`${shard} ${row.crawlId}`, row);
    if (this.#rules.movesSlots) { for (const crawlId of this.#urls.keys()) this.#conservedByAll(crawlId); }
    else for (const [name, tally] of this.#tallies) this.#conserved(name, tally);
    for (const crawlId of this.#urls.keys()) this.#links(crawlId);
    for (const [crawlId, most] of this.#rules.maxPages) this.#budget(crawlId, most);
  }

  #newUrl(shard: number, row: UrlRow): void {
    let urls = this.#urls.get(row.crawlId);
    if (urls === undefined) this.#urls.set(row.crawlId, urls = new Map());
    const before = urls.get(row.fingerprint);
    if (before !== undefined && this.#rules.movesSlots) return this.#moved(before, row);
    this.#verdict.expect(before === undefined, () => `${row.url} was enqueued twice in crawl ${row.crawlId}`);
    urls.set(row.fingerprint, row);
    const tally = this.#tallyOf(shard, row.crawlId);
    tally.accepted++;
    add(tally.byState, row.state, 1);
  }

  /** A copy says what the row said, but for times, which may be of another clock. */
  #moved(before: UrlRow, row: UrlRow): void {
    const said = ({ state, attempts, depth, priority, httpCode }: UrlRow) =>
      JSON.stringify([state, attempts, depth, priority, httpCode]);
    this.#verdict.expect(
      said(row) === said(before),
      () => `${row.url} of ${row.crawlId} was enqueued again as ${said(row)}, where ${said(before)} is known`,
    );
  }

  #changedUrl(shard: number, row: UrlRow): void {
    const before = this.url(row.crawlId, row.fingerprint);
    if (before === undefined) return this.#verdict.broken(`${row.url} changed without ever being accepted`);
    this.#verdict.expect(
      !SETTLED.has(before.state),
      () => `${row.url} was ${before.state} and became ${row.state}: what is settled stays so`,
    );
    this.#verdict.expect(
      row.attempts >= before.attempts && row.depth <= before.depth,
      () => `${row.url} went from ${before.attempts} tries at depth ${before.depth} to ${row.attempts} at ${row.depth}`,
    );
    this.#urls.get(row.crawlId)!.set(row.fingerprint, row);
    const { byState } = this.#tallyOf(shard, row.crawlId);
    add(byState, before.state, -1);
    add(byState, row.state, 1);
  }

  #tallyOf(shard: number, crawlId: CrawlId): Tally {
    const name = `${shard} ${crawlId}`;
    let tally = this.#tallies.get(name);
    if (tally === undefined) this.#tallies.set(name, tally = { byState: new Map(), accepted: 0 });
    return tally;
  }

  /** Every accepted URL is exactly one of queued, leased, done, excluded and dead, and the counters say so. */
  #conserved(name: string, { accepted, byState }: Tally): void {
    const counters = this.#counters.get(name);
    const of = (state: UrlRow["state"]) => byState.get(state) ?? 0;
    const rows = [accepted, of("done") + of("excluded") + of("dead"), of("done"), of("excluded"), of("dead")];
    const { settled = 0, fetched = 0, sitemaps = 0, redirected = 0, excluded = 0, dead = 0 } = counters ?? {};
    const counted = [counters?.accepted ?? 0, settled, fetched + sitemaps + redirected, excluded, dead];
    this.#verdict.expect(
      rows.every((count, i) => count === counted[i]),
      () => `counters of ${name} say accepted, settled, done, excluded, dead = ${counted}; the rows say ${rows}`,
    );
  }

  /** While a slot moves, what is unsettled in it is counted by both shards, and never by none. */
  #conservedByAll(crawlId: CrawlId): void {
    const rows = [...this.urlsOf(crawlId).values()];
    const counters = this.countersOf(crawlId);
    const total = (name: "accepted" | "settled" | "excluded" | "dead") =>
      counters.reduce((sum, row) => sum + row[name], 0);
    const of = (...states: UrlRow["state"][]) => rows.filter(({ state }) => states.includes(state)).length;
    const settled = of("done", "excluded", "dead");
    this.#verdict.expect(
      total("accepted") >= rows.length && total("settled") === settled && total("excluded") === of("excluded") &&
        total("dead") === of("dead"),
      () =>
        `counters of ${crawlId} say accepted, settled, excluded, dead = ${total("accepted")}, ${total("settled")}, ` +
        `${total("excluded")}, ${total("dead")}; the rows say ${rows.length}, ${settled}, ${of("excluded")}, ${
          of("dead")
        }`,
    );
  }

  #links(crawlId: CrawlId): void {
    let sent = 0;
    let received = 0;
    for (const row of this.countersOf(crawlId)) {
      sent += row.sent;
      received += row.received;
    }
    const underWay = this.linksUnderWay(crawlId);
    this.#verdict.expect(
      sent === received + underWay,
      () => `crawl ${crawlId} sent ${sent} links between shards: ${received} received and ${underWay} under way`,
    );
  }

  #hosts(batch: Batch, by: string): void {
    for (const row of batch.hosts) {
      const epoch = this.#epochs.get(row.host) ?? 0;
      // Times of two clocks aren't compared; at the servers the gap is judged by one.
      const last = this.#nextStart.get(row.host);
      const next = last?.by === by ? last.at : 0;
      this.#verdict.expect(row.epoch >= epoch, () => `the epoch of ${row.host} fell from ${epoch} to ${row.epoch}`);
      this.#verdict.expect(
        row.nextStartAt >= next,
        () => `the next start on ${row.host} was moved forward by ${next - row.nextStartAt} ms`,
      );
      this.#epochs.set(row.host, row.epoch);
      this.#nextStart.set(row.host, { at: row.nextStartAt, by });
    }
  }

  #leasesOf(batch: Batch, now: number): void {
    for (const { host } of batch.endedLeases) {
      const lease = this.liveLease.get(host);
      if (lease !== undefined) lease.endedAt = now;
      this.liveLease.delete(host);
    }
    for (const row of batch.leases) {
      const live = this.liveLease.get(row.host);
      if (live?.row.leaseId === row.leaseId) continue;
      this.#verdict.expect(live === undefined, () => `two leases of ${row.host} are out at once`);
      this.#granted(row, now);
    }
  }

  #granted(row: LeaseRow, now: number): void {
    const { pausedHosts, pausedCrawls, domainInFlight } = this.#rules;
    this.#verdict.expect(!this.leases.has(row.leaseId), () => `lease ${row.leaseId} was granted twice`);
    this.#verdict.expect(row.epoch === this.#epochs.get(row.host), () => `${row.host} is leased under another epoch`);
    this.#verdict.expect(!pausedHosts.has(row.host), () => `${row.host} was leased after its pause was answered`);
    this.#verdict.expect(
      !pausedCrawls.has(row.crawlId),
      () => `${row.host} was leased for ${row.crawlId} after that crawl's pause was answered`,
    );
    const lease = { row, since: now, endedAt: undefined };
    this.leases.set(row.leaseId, lease);
    this.liveLease.set(row.host, lease);
    const siblings = [...this.liveLease.values()].filter((other) => other.row.domain === row.domain).length;
    this.#verdict.expect(siblings <= domainInFlight, () => `${siblings} hosts of ${row.domain} are leased at once`);
  }

  /** A fetch counts once: the final answer of a URL is acknowledged once in a crawl. */
  #capture(capture: Batch["captures"][number]): void {
    if (capture.kind !== "page" || capture.role !== "answer") return;
    const name = `${capture.crawl_id} ${capture.fingerprint}`;
    this.#verdict.expect(!this.#captured.has(name), () => `${capture.url} was captured twice in ${capture.crawl_id}`);
    this.#captured.add(name);
  }

  #outbox(batch: Batch): void {
    for (const row of batch.outbox) {
      const name = `${row.lease_id} ${row.seq}`;
      if (!this.#received.has(name)) this.#underWay.set(name, { crawlId: row.crawl_id, links: row.links.length });
    }
    for (const { leaseId, seq } of batch.received) {
      this.#received.add(`${leaseId} ${seq}`);
      this.#underWay.delete(`${leaseId} ${seq}`);
    }
    for (const { leaseId, seq } of batch.ackedOutbox) {
      const name = `${leaseId} ${seq}`;
      this.#verdict.expect(this.#received.has(name), () => `outbox row ${name} was deleted before it arrived`);
    }
  }

  #budget(crawlId: CrawlId, most: number): void {
    let pages = this.countersOf(crawlId).reduce((sum, row) => sum + row.pages, 0);
    for (const { row } of this.liveLease.values()) {
      if (row.crawlId !== crawlId) continue;
      pages += row.fingerprints.filter((one) =>
        this.url(crawlId, one)?.state === "ready" && !this.handedBack.has(`${row.leaseId} ${one}`)
      ).length;
    }
    this.#verdict.expect(
      pages <= most,
      () => {
        const fetched = [...this.#counters].filter(([, row]) => row.crawlId === crawlId);
        const said = fetched.map(([name, row]) => `${name} ${row.pages}`);
        return `${pages} pages of ${crawlId} are fetched (${said}) or leased, at most ${most} may be`;
      },
    );
  }
}

function add(counts: Map<UrlRow["state"], number>, state: UrlRow["state"], by: number): void {
  counts.set(state, (counts.get(state) ?? 0) + by);
}
