/**
 * How far the sitemaps of a host are to be believed: when a page that they date is fetched again, its content tells whether
 * what they say of its last change is true.
 * Invariant: of this process; bounded by MOST_HOSTS and MOST_PAGES. A host of which nothing is known has trust 1/2.
 */

import type { Fingerprint, HostKey } from "../../../protocol/mod.ts";
import type { UrlRow } from "../../ports.ts";

const MOST_HOSTS = 20_000;
/** Pages whose date is remembered: as many as one sitemap may have. */
const MOST_PAGES = 50_000;
/** Clocks, time zones, and dates without a time of day. */
const VAGUE_MS = 36 * 3_600_000;

interface Record {
  right: number;
  wrong: number;
}

type Visited = Pick<UrlRow, "fingerprint" | "host" | "visits" | "lastFetchAt">;

export class SitemapTrust {
  readonly #hosts = new Map<HostKey, Record>();
  /** Wall ms of the last change, as a sitemap has it. */
  readonly #dates = new Map<Fingerprint, number>();

  /** 0 to 1. */
  of(host: HostKey): number {
    const { right = 0, wrong = 0 } = this.#hosts.get(host) ?? {};
    return (right + 1) / (right + wrong + 2);
  }

  /** A sitemap dates a page. */
  dated(page: Fingerprint, lastmodMs: number): void {
    this.#dates.delete(page);
    this.#dates.set(page, lastmodMs);
    if (this.#dates.size > MOST_PAGES) this.#dates.delete(this.#dates.keys().next().value!);
  }

  /** A page was fetched again, `row` being from before. */
  visited(row: Visited, hasChanged: boolean): void {
    const lastmodMs = this.#dates.get(row.fingerprint);
    if (lastmodMs === undefined || row.visits === 0) return;
    const since = lastmodMs - row.lastFetchAt;
    // About the time of the last visit: that one may have seen either.
    if (Math.abs(since) < VAGUE_MS) return;
    const record = this.#record(row.host);
    if ((since > 0) === hasChanged) record.right++;
    else record.wrong++;
  }

  #record(host: HostKey): Record {
    const known = this.#hosts.get(host) ?? { right: 0, wrong: 0 };
    this.#hosts.delete(host);
    this.#hosts.set(host, known);
    if (this.#hosts.size > MOST_HOSTS) this.#hosts.delete(this.#hosts.keys().next().value!);
    return known;
  }
}
