/**
 * Crawl ids and back queues (slot, crawl, host) as the small integers that URL rows carry.
 * Invariant: what is remembered here is durable; numbers that a commit assigns are remembered only once it succeeded.
 */

import type { CrawlId, HostKey } from "../../protocol/mod.ts";
import type { UrlRow } from "../ports.ts";
import type { Database } from "./libsql_client.ts";
import { jsonArray } from "./libsql_rows.ts";

/** Back queues that are remembered; then the memory starts afresh. About 150 bytes each. */
const QUEUES_REMEMBERED = 100_000;

export interface QueueGrowth {
  readonly id: number;
  readonly slot: number;
  readonly crawl: number;
  readonly host: HostKey;
  readonly domain: string;
  /** URLs that this commit adds. */
  accepted: number;
}

/** The numbers that one commit needs. */
export interface Numbering {
  readonly crawls: ReadonlyMap<CrawlId, number>;
  readonly newCrawls: readonly CrawlId[];
  readonly queues: ReadonlyMap<string, QueueGrowth>;
}

export function queueName(slot: number, crawl: number, host: HostKey): string {
  return `${slot} ${crawl} ${host}`;
}

export class Names {
  readonly #database: Pick<Database, "read">;
  #crawls: ReadonlyMap<CrawlId, number> | undefined;
  #queues = new Map<string, number>();
  #nextQueue = 0;

  constructor(database: Pick<Database, "read">) {
    this.#database = database;
  }

  /** Every crawl of this shard. */
  async crawls(): Promise<ReadonlyMap<CrawlId, number>> {
    if (this.#crawls) return this.#crawls;
    const rows = await this.#database.read("select crawl_id, id from crawl");
    const next = await this.#database.read("select coalesce(max(id), 0) + 1 from back_queue");
    this.#nextQueue = Number(next[0]![0]);
    return this.#crawls = new Map(rows.map((row) => [String(row[0]), Number(row[1])]));
  }

  /** Numbers for the crawls and the back queues of `newUrls`, new ones where there are none yet. */
  async number(crawlIds: ReadonlySet<CrawlId>, newUrls: readonly UrlRow[]): Promise<Numbering> {
    const known = await this.crawls();
    const newCrawls = [...crawlIds].filter((crawlId) => !known.has(crawlId));
    const crawls = newCrawls.length === 0
      ? known
      : new Map([...known, ...newCrawls.map((crawlId, i) => [crawlId, known.size + 1 + i] as const)]);
    const wanted = new Map<string, Omit<QueueGrowth, "id">>();
    for (const { slot, crawlId, host, domain } of newUrls) {
      const crawl = crawls.get(crawlId)!;
      const name = queueName(slot, crawl, host);
      const queue = wanted.get(name);
      if (queue) queue.accepted++;
      else wanted.set(name, { slot, crawl, host, domain, accepted: 1 });
    }
    await this.#recall(wanted);
    let next = this.#nextQueue;
    const queues = new Map<string, QueueGrowth>();
    for (const [name, queue] of wanted) queues.set(name, { id: this.#queues.get(name) ?? next++, ...queue });
    return { crawls, newCrawls, queues };
  }

  /** Reads the numbers of the queues that are not remembered. */
  async #recall(wanted: ReadonlyMap<string, Omit<QueueGrowth, "id">>): Promise<void> {
    if (this.#queues.size + wanted.size > QUEUES_REMEMBERED) this.#queues.clear();
    const unknown = [...wanted].filter(([name]) => !this.#queues.has(name)).map(([, queue]) => queue);
    if (unknown.length === 0) return;
    const rows = await this.#database.read(
      `with r (v) as materialized (select value from json_each(?))
       select q.slot, q.crawl, q.host, q.id
       from r cross join back_queue q on q.slot = v->>0 and q.crawl = v->>1 and q.host = v->>2`,
      [jsonArray(unknown, ({ slot, crawl, host }) => JSON.stringify([slot, crawl, host]))],
    );
    for (const row of rows) {
      this.#queues.set(queueName(Number(row[0]), Number(row[1]), String(row[2])), Number(row[3]));
    }
  }

  /** The commit that `numbering` was made for succeeded. */
  remember(numbering: Numbering): void {
    this.#crawls = numbering.crawls;
    for (const [name, { id }] of numbering.queues) {
      this.#queues.set(name, id);
      this.#nextQueue = Math.max(this.#nextQueue, id + 1);
    }
  }

  /** A commit failed or its end is unknown: everything is read again when next wanted. */
  forget(): void {
    this.#crawls = undefined;
    this.#queues.clear();
  }
}
