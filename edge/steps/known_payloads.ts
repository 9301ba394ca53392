/**
 * Payloads that are in the archive for certain: a capture of the same bytes becomes a revisit that refers to the first.
 * Invariants: only captures that the coordinator acknowledged are known, and only whole responses, so a reader can
 * always resolve what refers to them; crawls don't refer to each other. Bounded: forgetting one costs bytes only.
 */

import type { CaptureFacts, CrawlId } from "../../protocol/mod.ts";
import type { EarlierCapture } from "../ports.ts";
import { BoundedTexts, type Bounds } from "./bounded_texts.ts";

/** Payloads over all crawls; some 200 bytes each. */
const BOUNDS: Bounds = { entries: 100_000, bytes: 16 << 20 };

export interface PayloadPlace {
  readonly crawlId: CrawlId;
  readonly httpCode: number;
  readonly payloadDigest: string;
}

export class KnownPayloads {
  readonly #earlier: BoundedTexts;

  constructor(bounds: Bounds = BOUNDS) {
    this.#earlier = new BoundedTexts(bounds);
  }

  find(place: PayloadPlace): EarlierCapture | undefined {
    const text = this.#earlier.get(keyOf(place));
    if (text === undefined) return undefined;
    const [fetchedAt, captureName, url] = text.split("\n") as [string, string, string];
    return { url, fetchedAt: Number(fetchedAt), payloadDigest: place.payloadDigest, captureName };
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
    // Neither a capture's name nor a URL that was fetched has a line end.
    const text = [fetchedAt, captureName, capture.url ?? url].join("\n");
    this.#earlier.add(keyOf({ crawlId, httpCode, payloadDigest }), text);
  }
}

function keyOf({ crawlId, httpCode, payloadDigest }: PayloadPlace): string {
  return `${crawlId} ${httpCode} ${payloadDigest}`;
}
