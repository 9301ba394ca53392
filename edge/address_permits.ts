/**
 * The permits of one lease for the addresses that its requests go to: asked once per address, before the connection.
 * Invariant: no request of a polite crawl goes to an address without its owner's permit; what the owner grants can only
 * slow the lease. Where it is refused, or nobody answers, the rest of the lease goes back and no attempt is lost.
 */

import { addressGroup } from "../protocol/mod.ts";
import type { LeaseHold } from "./lease_hold.ts";
import type { EdgeParts } from "./parts.ts";
import { askReferred } from "./referral.ts";
import type { Stopwatch } from "./stopwatch.ts";

interface Permit {
  /** One that it was asked for: it holds for the whole group of addresses that are counted together. */
  readonly address: string;
  /** Whose owner granted it. */
  readonly slot: number;
  readonly sent: Stopwatch;
  readonly expiresInMs: number;
}

export class AddressPermits {
  readonly #hold: LeaseHold;
  readonly #parts: EdgeParts;
  /** By group of addresses. */
  readonly #permits = new Map<string, Permit>();
  readonly #asking = new Map<string, Promise<boolean>>();

  constructor(hold: LeaseHold, parts: EdgeParts) {
    this.#hold = hold;
    this.#parts = parts;
  }

  /** May a request go to `address` now? For FetchRequest.admitAddress. */
  readonly admit = (address: string): true | Promise<boolean> => {
    if (!this.#hold.lease.crawl.polite) return true;
    const group = addressGroup(address) ?? address;
    const permit = this.#permits.get(group);
    const { wallMs } = this.#parts.settings.fetchLimits;
    if (permit !== undefined && permit.sent.elapsedMs() + wallMs <= permit.expiresInMs) return true;
    let asking = this.#asking.get(group);
    if (asking === undefined) {
      asking = this.#ask(address, group).finally(() => this.#asking.delete(group));
      this.#asking.set(group, asking);
    }
    return asking;
  };

  async #ask(address: string, group: string): Promise<boolean> {
    const { frontier, clock, log, settings } = this.#parts;
    const { lease, pace } = this.#hold;
    const { lease_id, epoch, slot } = lease;
    const request = {
      worker_id: settings.workerId,
      lease_id,
      epoch,
      slot,
      address,
      gap_ms: pace.gapMs,
      max_parallel: this.#hold.maxParallel,
    };
    try {
      const asked = await askReferred((change) => frontier.permitAddress({ ...request, ...change }), clock);
      const { reply, sent, referred } = asked;
      if (!reply.granted) return false;
      this.#permits.set(group, { address, slot: referred?.slot ?? slot, sent, expiresInMs: reply.expires_in_ms });
      pace.atLeast(reply.gap_ms);
      this.#hold.limitParallel(reply.max_parallel);
      return true;
    } catch (error) {
      log.warn("could not ask for an address; the rest of the lease goes back", {
        host: lease.host,
        address,
        error: String(error),
      });
      return false;
    }
  }

  /** No request of the lease is under way any more: gives the permits back. Never rejects; lost, they end by their time. */
  async giveBack(): Promise<void> {
    // Of a request that was given up meanwhile the answer may be on its way still.
    await Promise.all(this.#asking.values());
    const bySlot = Map.groupBy(this.#permits.values(), ({ slot }) => slot);
    this.#permits.clear();
    await Promise.all(Array.from(bySlot, ([slot, permits]) => this.#return(slot, permits)));
  }

  async #return(slot: number, permits: readonly Permit[]): Promise<void> {
    const { frontier, clock, settings } = this.#parts;
    const { lastSeenAt } = this.#hold.pace;
    const { lease_id, host } = this.#hold.lease;
    const lastStart = lastSeenAt === undefined
      ? {}
      : { last_start_ago_ms: Math.max(0, clock.monotonicMs() - lastSeenAt) };
    const addresses = permits.map(({ address }) => address);
    try {
      await frontier.returnPermits({ worker_id: settings.workerId, lease_id, slot, addresses, ...lastStart });
    } catch (error) {
      this.#parts.log.debug("could not give permits back", { host, error: String(error) });
    }
  }
}
