/**
 * Step 5: does this page bring something new? Exact duplicates within one crawl, told by the hash of the decoded body.
 * Invariant: bounded; forgetting an old page only means that its duplicate counts as new, never the reverse.
 */

import type { CrawlId, History } from "../../protocol/mod.ts";
import { BoundedTexts, type Bounds } from "./bounded_texts.ts";

/** Remembered bodies over all crawls; some 170 bytes each. */
const BOUNDS: Bounds = { entries: 100_000, bytes: 16 << 20 };

/** Bodies shorter than this say nothing: error pages and empty answers are alike everywhere. */
const SHORTEST_BODY_BYTES = 64;

export interface Content {
  readonly crawlId: CrawlId;
  readonly url: string;
  /** SHA-256 of the decoded body, hex. */
  readonly contentHash: string;
  readonly length: number;
}

export type Novelty =
  | { readonly kind: "novel" }
  | { readonly kind: "unchanged" }
  | { readonly kind: "duplicate"; readonly of: string };

export class SeenContent {
  readonly #firstUrl = new BoundedTexts(BOUNDS);

  /** What the body is against an earlier capture of this URL and against the other pages of the crawl. */
  judge(content: Content, history: History | undefined): Novelty {
    if (history?.content_hash === content.contentHash) return { kind: "unchanged" };
    if (content.length < SHORTEST_BODY_BYTES) return { kind: "novel" };
    const key = `${content.crawlId} ${content.contentHash}`;
    const first = this.#firstUrl.get(key);
    if (first !== undefined) return first === content.url ? { kind: "novel" } : { kind: "duplicate", of: first };
    this.#firstUrl.add(key, content.url);
    return { kind: "novel" };
  }
}
