/**
 * The feed of stored pages, read from the captures that commits made durable.
 * Invariant: within a shard in the order of acknowledgement; whoever goes on from a cursor misses nothing and may see a
 * page again that came after it (at least once).
 */

import type { Core } from "../../../core-wasm/core.ts";
import type { CaptureRow } from "../../../protocol/mod.ts";
import type { Listings, PageEvent, PageFeed } from "../../page_ports.ts";
import type { UrlRow } from "../../ports.ts";
import { changesPerDay } from "../order/change_rate.ts";
import type { HostDirectory } from "../host_directory.ts";

/** Captures of one shard that one look reads; robots.txt and redirects are among them. */
const READ_AT_ONCE = 500;

type FeedStore = Pick<Listings, "captures" | "lookUp">;

export interface FeedParts {
  readonly core: Pick<Core, "urls">;
  readonly directory: HostDirectory;
  /** By index of the shard. */
  readonly stores: readonly FeedStore[];
}

/** A final answer of a page, as pages.jsonl has them. */
function isStoredPage({ kind, role, http_code }: CaptureRow): boolean {
  return kind === "page" && role === "answer" && http_code !== 304;
}

/** At most `limit` pages after `after` (one number per shard; missing ones count as 0). */
export async function readFeed(parts: FeedParts, after: readonly number[], limit: number): Promise<PageFeed> {
  const cursor = parts.stores.map((_, shard) => after[shard] ?? 0);
  const events: PageEvent[] = [];
  for (const [shard, store] of parts.stores.entries()) {
    if (events.length >= limit) break;
    const captures = await store.captures("", cursor[shard]!, Math.min(READ_AT_ONCE, 2 * (limit - events.length) + 50));
    const pages = captures.filter(isStoredPage).slice(0, limit - events.length);
    const rows = await rowsOf(parts, store, pages);
    for (const [index, capture] of pages.entries()) {
      cursor[shard] = capture.seq;
      const row = rows[index];
      events.push({
        cursor: [...cursor],
        capture,
        changesPerDay: row === undefined ? 0 : changesPerDay(row),
        importance: row?.priority ?? 0,
      });
    }
    // Past what is no page, unless pages beyond the limit wait.
    const last = captures.at(-1);
    if (last !== undefined && events.length < limit) cursor[shard] = last.seq;
  }
  return { events, cursor };
}

async function rowsOf(
  { core, directory }: FeedParts,
  store: FeedStore,
  pages: readonly CaptureRow[],
): Promise<(UrlRow | undefined)[]> {
  if (pages.length === 0) return [];
  const batch = core.urls(pages.map(({ url }) => url));
  const fingerprints = batch.fingerprints.slice();
  const hosts = pages.map((_, index) => batch.host(index));
  return await store.lookUp(pages.map(({ crawl_id }, index) => ({
    slot: directory.placeOf(hosts[index]!).slot,
    crawlId: crawl_id,
    fingerprint: fingerprints[index]!,
  })));
}
