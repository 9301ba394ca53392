/**
 * What a fetched page says about its host and its family of URLs.
 * Invariant: only pages with status 2xx whose capture was believed count, no sitemaps; a verdict that changes is in the round's batch.
 */

import type { Fetched } from "../../../protocol/mod.ts";
import type { UrlRow } from "../../ports.ts";
import type { Crawl } from "../crawls/crawl.ts";
import { familyOf } from "./family.ts";
import { hostSalt, judgeHost } from "./duplicates.ts";
import type { Round } from "../round.ts";
import { isSitemapRow } from "../robots/sitemaps.ts";
import { findFamily, notePage } from "./traps.ts";

/** `brought`: URLs outside the page's family that it brought and that were new to the crawl. */
export function noteEvidence(
  round: Round,
  page: { readonly crawl: Crawl; readonly row: UrlRow; readonly outcome: Fetched; readonly brought: number },
): void {
  const { crawl, row, outcome, brought } = page;
  // A page that is seen again brings what is known by now, which says nothing.
  if (row.visits > 0) return;
  if (outcome.http_code < 200 || outcome.http_code > 299 || isSitemapRow(row)) return;
  const { shard } = round;
  const { capture } = outcome;
  const isDuplicate = shard.contents.isDuplicate(capture, row.fingerprint, hostSalt(crawl.salt, row.host));
  const tally = shard.tallies.of(row);
  const hasChanged = judgeHost(tally, isDuplicate, shard.parts.settings.limits);
  const family = familyOf(row.url);
  const state = family === undefined ? undefined : findFamily(tally.families, family);
  if (state !== undefined) notePage(state, { isDuplicate, length: capture.length, brought });
  if (hasChanged) shard.batch.changeTally(tally);
  else shard.tallies.changeLater(tally);
}
