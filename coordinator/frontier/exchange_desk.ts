/**
 * What edges carry between shards, and fetch beside their leases: outbox rows, their acknowledgements, robots.txt bodies.
 * Invariant: what is taken in is durable; what isn't this coordinator's is refused with the map (NotOwned).
 */

import type { OutboxAck, OutboxDelivery, RobotsBodyRequest } from "../../protocol/mod.ts";
import { SlotMoving } from "../slot_ports.ts";
import { ackOperation, ReceiveOperation } from "./crawls/enqueue.ts";
import type { FrontierParts } from "./shard.ts";
import type { WholeFrontier } from "./views/whole_frontier.ts";

export class ExchangeDesk {
  readonly #parts: FrontierParts;
  readonly #whole: WholeFrontier;
  readonly #refresh: () => Promise<void>;

  /** `refresh` reads the crawls anew: another coordinator may have made one. */
  constructor(parts: FrontierParts, whole: WholeFrontier, refresh: () => Promise<void>) {
    this.#parts = parts;
    this.#whole = whole;
    this.#refresh = refresh;
  }

  async deliver({ rows }: OutboxDelivery): Promise<void> {
    const { book, crawls, cluster } = this.#parts;
    const isNew = rows.some((row) => crawls.get(row.crawl_id) === undefined);
    if (cluster !== undefined && isNew) await this.#refresh();
    const perWriter = Map.groupBy(rows, (row) => {
      const writer = book.ofSlot(row.slot);
      if (writer !== undefined && crawls.get(row.crawl_id) !== undefined) return writer;
      throw new Error(
        `Taking in outbox row ${row.seq} of ${row.lease_id}: found crawl ${row.crawl_id}, slot ${row.slot}; ` +
          "wanted a crawl and a slot of this coordinator.",
      );
    });
    const left = await Promise.all(
      Array.from(perWriter, ([writer, list]) => writer.submit(new ReceiveOperation(list))),
    );
    for (const slot of left.flat()) throw new SlotMoving(slot);
  }

  /** Rows whose shard isn't named are looked for in all: edges of protocol version 1 don't name it. */
  async acknowledge({ rows }: OutboxAck): Promise<void> {
    const { book } = this.#parts;
    const named = rows.flatMap((row) =>
      (row.from_shard === undefined ? book.own : [book.get(row.from_shard)]).map((writer) => ({ writer, row }))
    );
    const perWriter = Map.groupBy(named, ({ writer }) => writer);
    await Promise.all(
      Array.from(perWriter, ([writer, list]) => writer.submit(ackOperation(list.map(({ row }) => row)))),
    );
  }

  /** The same body may lie in several shards: whichever has it. */
  async robotsBody({ digest, slot }: RobotsBodyRequest): Promise<string | undefined> {
    const { book } = this.#parts;
    for (const { store } of book.own) {
      const body = await store.robotsBody(digest);
      if (body !== undefined) return body;
    }
    if (slot !== undefined) book.ofSlot(slot);
    return await this.#whole.robotsBodyOfOthers(digest);
  }
}
