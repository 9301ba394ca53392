/**
 * Which pages of a host have the content of another of its URLs: the same bytes, or the same text (equal SimHash).
 * Invariant: bounded: two tables of fixed size for all hosts of a shard. What was forgotten counts as new, never the
 * reverse, so a host is cut late rather than wrongly; a URL that is fetched again is no duplicate of itself.
 */

import type { CaptureFacts, Fingerprint } from "../../../protocol/mod.ts";
import { type KeySalt, SeenCache } from "../seen/seen_cache.ts";
import type { FrontierLimits } from "../settings.ts";
import type { Tally } from "./tally.ts";

/** Bodies shorter than this say nothing: error pages and empty answers are alike everywhere. */
const SHORTEST_BODY_BYTES = 64;
/** SimHash of no text. */
const NO_TEXT = 0n;
const HASH_DIGITS = 16;
/** Pages at which both counts are halved, so that a host is judged by what it has been of late. */
const PAGES_KEPT = 1_000;

export class ContentMemory {
  readonly #bodies: SeenCache;
  readonly #texts: SeenCache;

  /** `keys` of each kind, a power of two; 10 bytes each. */
  constructor(keys: number) {
    this.#bodies = new SeenCache(keys);
    this.#texts = new SeenCache(keys);
  }

  /** True when another URL of the host (`salt`) had this content; it is remembered. */
  isDuplicate(capture: CaptureFacts, fingerprint: Fingerprint, salt: KeySalt): boolean {
    if (capture.length < SHORTEST_BODY_BYTES) return false;
    const sameBody = isOther(this.#bodies, BigInt(`0x${capture.content_hash.slice(0, HASH_DIGITS)}`), {
      fingerprint,
      salt,
    });
    const text = capture.simhash === undefined ? NO_TEXT : BigInt(`0x${capture.simhash}`);
    if (text === NO_TEXT) return sameBody;
    return isOther(this.#texts, text, { fingerprint, salt }) || sameBody;
  }
}

/** The table keeps 16 bits of the URL beside each content. */
function isOther(
  table: SeenCache,
  content: bigint,
  { fingerprint, salt }: { readonly fingerprint: Fingerprint; readonly salt: KeySalt },
): boolean {
  const mark = Number(fingerprint & 0xffffn);
  const known = table.depthOfKey(content, salt);
  if (known < 0) table.add(content, salt, mark);
  return known >= 0 && known !== mark;
}

/** Tells contents of one host in one crawl from those of others (FNV-1a, 32 bits, over the crawl's own salt). */
export function hostSalt(crawl: KeySalt, host: string): KeySalt {
  let hash = 0x811c9dc5;
  for (let i = 0; i < host.length; i++) hash = Math.imul(hash ^ host.charCodeAt(i), 0x01000193);
  return { low: (crawl.low ^ hash) >>> 0, high: (crawl.high ^ Math.imul(hash, 0x9e3779b1)) >>> 0 };
}

/** A page was looked at. True when the host's budget is cut by it, or given back. */
export function judgeHost(tally: Tally, isDuplicate: boolean, limits: FrontierLimits): boolean {
  tally.pages++;
  if (isDuplicate) tally.duplicates++;
  const before = tally.isCut;
  const percent = (100 * tally.duplicates) / tally.pages;
  if (!before && tally.pages >= limits.duplicatePages) tally.isCut = percent >= limits.duplicatePercent;
  else if (before && percent < limits.duplicatePercent / 2) tally.isCut = false;
  if (tally.pages >= Math.max(PAGES_KEPT, 2 * limits.duplicatePages)) {
    tally.pages = Math.floor(tally.pages / 2);
    tally.duplicates = Math.floor(tally.duplicates / 2);
  }
  return tally.isCut !== before;
}
