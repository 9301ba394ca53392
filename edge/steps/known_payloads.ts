/**
 * Payloads that are in the archive for certain: a capture of the same bytes becomes a revisit that refers to the first.
 * Invariants: only captures that the coordinator acknowledged are known, and only whole responses, so a reader can
 * always resolve what refers to them; crawls don't refer to each other. Bounded: forgetting one costs bytes only.
 */

import type { CaptureFacts, CrawlId } from "../../protocol/mod.ts";
import type { EarlierCapture } from "../ports.ts";

/** Payloads over all crawls; about 300 bytes each. */
const CAPACITY = 100_000;

export interface PayloadPlace {
  readonly crawlId: CrawlId;
  readonly httpCode: number;
  readonly payloadDigest: string;
}

export class KnownPayloads {
  readonly #earlier = new Map<string, EarlierCapture>();
  readonly #capacity: number;

  constructor(capacity: number = CAPACITY) {
    this.#capacity = capacity;
  }

  find(place: PayloadPlace): EarlierCapture | undefined {
    return this.#earlier.get(keyOf(place));
  }

  /** The coordinator has acknowledged `capture`, made of `url` under `captureName`. The first of a payload is kept. */
  acknowledged(
    where: { readonly crawlId: CrawlId; readonly httpCode: number; readonly url: string; readonly captureName: string },
    capture: CaptureFacts,
  ): void {
    const { crawlId, httpCode, url, captureName } = where;
    // Redirects have next to no body, and readers follow their heads.
    const isKept = capture.refers_to === undefined && capture.truncated === undefined && capture.wire_length > 0 &&
      (httpCode < 300 || httpCode >= 400);
    if (!isKept) return;
    const { payload_digest: payloadDigest, fetched_at: fetchedAt } = capture;
    const key = keyOf({ crawlId, httpCode, payloadDigest });
    if (this.#earlier.has(key)) return;
    this.#earlier.set(key, { url: capture.url ?? url, fetchedAt, payloadDigest, captureName });
    if (this.#earlier.size > this.#capacity) this.#earlier.delete(this.#earlier.keys().next().value!);
  }
}

function keyOf({ crawlId, httpCode, payloadDigest }: PayloadPlace): string {
  return `${crawlId} ${httpCode} ${payloadDigest}`;
}
