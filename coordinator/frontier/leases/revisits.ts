/**
 * What an edge is told of a URL's last capture when it is leased again: validators for a conditional request, and what
 * a revisit record refers to.
 * Invariant: only a whole 200 that was answered at the target's own URL is told of; a lease without that knowledge is as
 * good, its pages are merely fetched whole.
 */

import type { History, Target } from "../../../protocol/mod.ts";
import type { UrlRow } from "../../ports.ts";
import type { CaptureName, EarlierCapture, RecrawlStorage } from "../../recrawl_ports.ts";

/** A target whose URL was captured before. */
export interface Revisit {
  readonly target: Target;
  readonly capture: CaptureName;
}

/** Those of the rows that have a capture; `targets` are theirs, in the same order. */
export function revisitsOf(rows: readonly UrlRow[], targets: readonly Target[]): Revisit[] {
  const found: Revisit[] = [];
  rows.forEach(({ slot, fingerprint, captureSeq }, index) => {
    if (captureSeq > 0) found.push({ target: targets[index]!, capture: { slot, fingerprint, seq: captureSeq } });
  });
  return found;
}

/** Fills in what the store knows. The targets were made for this reply, and nobody else has them yet. */
export async function tellHistories(revisits: readonly Revisit[], store: RecrawlStorage<UrlRow>): Promise<void> {
  if (revisits.length === 0) return;
  const captures = await store.earlierCaptures(revisits.map(({ capture }) => capture));
  revisits.forEach(({ target }, index) => {
    const capture = captures[index];
    if (capture !== undefined && mayBeReferredTo(capture, target)) Object.assign(target, historyOf(capture));
  });
}

function mayBeReferredTo({ http_code, role, truncated, url }: EarlierCapture, target: Target): boolean {
  return role === "answer" && http_code === 200 && truncated === undefined && url === target.url;
}

function historyOf(capture: EarlierCapture): Pick<Target, "history" | "etag" | "last_modified"> {
  const { etag, lastModified, textHash, simhash, refers_to } = capture;
  const history: History = {
    content_hash: capture.content_hash,
    record: capture.record,
    fetched_at: capture.fetched_at,
    payload_digest: capture.payload_digest,
    ...(textHash === undefined ? {} : { text_hash: textHash }),
    ...(simhash === undefined ? {} : { simhash }),
    ...(refers_to === undefined ? {} : { refers_to }),
  };
  return {
    history,
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { last_modified: lastModified }),
  };
}
