/**
 * A capture as it crosses the wire, out of the fuller row that a batch carries.
 * Invariant: what the page table alone keeps never leaves with it.
 */

import type { CaptureRow } from "../../protocol/mod.ts";
import type { Batch } from "../ports.ts";

/** The CaptureRow alone, without what Batch adds to it. */
export function captureFacts(row: Batch["captures"][number]): CaptureRow {
  const { slot: _slot, fingerprint: _fingerprint, textHash: _textHash, etag: _etag, ...rest } = row;
  const { lastModified: _lastModified, noindex: _noindex, canonical: _canonical, ...facts } = rest;
  return facts;
}
