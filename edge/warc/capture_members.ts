/**
 * The gzip members of one capture, ready to be written: what every archive appends, whatever it appends to.
 * Invariant: the members of a capture stand side by side, the one that captures point at in the middle.
 */

import type { Digest, Gzip } from "../../runtime/ports.ts";
import type { ArchiveEntry } from "../ports.ts";
import { captureRecords } from "./capture_records.ts";
import { isCompressible } from "./compressible.ts";
import type { Piece } from "./open_file.ts";

/** Request, response or revisit, metadata. */
export type Members = readonly [request: Piece, answer: Piece, metadata: Piece];

/** Which of them captures point at. */
export const ANSWER = 1;

/** At once where nothing is worth deflating. */
export function captureMembers(
  entry: ArchiveEntry,
  { gzip, digest }: { readonly gzip: Gzip; readonly digest: Digest },
): Members | Promise<Members> {
  const { request, answer, metadata } = captureRecords(entry, digest);
  // Requests and metadata are too short to be worth a stream of their own; a response is when its payload is.
  const first = gzip.store(request);
  const last = gzip.store(metadata);
  if (entry.refersTo !== undefined || !isCompressible(entry.exchange)) return [first, gzip.store(answer), last];
  return gzip.compress(answer).then((deflated) => [first, deflated, last]);
}
