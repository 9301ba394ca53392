/**
 * How many requests a token may send: a bucket for each, filled evenly.
 * Invariant: in any time a caller gets at most its rate x (time + BURST_SECONDS) answers; the number of buckets is bounded.
 */

import type { Clock } from "../../runtime/ports.ts";
import type { Role } from "./tokens.ts";

/** Requests a second. `stranger`: without a valid token, for each remote address. 0 = no limit. */
export type Rates = Readonly<Record<Role | "stranger", number>>;

/** Generous: they stop a loop that ran wild, not work. An edge sends a few requests for each page. */
export const RATES: Rates = { operator: 2000, reader: 2000, edge: 10_000, stranger: 100 };

const BURST_SECONDS = 2;
const MOST_BUCKETS = 10_000;

interface Bucket {
  /** Requests that may come at once. */
  left: number;
  filledAt: number;
}

export interface RateLimit {
  /** 0 = the request may be answered; otherwise after how many seconds the next may. */
  take(who: string, kind: keyof Rates): number;
}

export function createRateLimit(rates: Partial<Rates>, clock: Pick<Clock, "monotonicMs">): RateLimit {
  const perSecond: Rates = { ...RATES, ...rates };
  /** The one that was used longest ago comes first. */
  const buckets = new Map<string, Bucket>();
  return {
    take(who, kind) {
      const rate = perSecond[kind];
      if (rate <= 0) return 0;
      const most = rate * BURST_SECONDS;
      const key = `${kind} ${who}`;
      const now = clock.monotonicMs();
      const bucket = buckets.get(key) ?? { left: most, filledAt: now };
      buckets.delete(key);
      if (buckets.size >= MOST_BUCKETS) buckets.delete(buckets.keys().next().value!);
      buckets.set(key, bucket);
      bucket.left = Math.min(most, bucket.left + (now - bucket.filledAt) * rate / 1000);
      bucket.filledAt = now;
      if (bucket.left < 1) return Math.max(1, Math.ceil((1 - bucket.left) / rate));
      bucket.left -= 1;
      return 0;
    },
  };
}
