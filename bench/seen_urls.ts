/**
 * URLs for the seen-set's benchmark: numbered, a thousand to a host, offered as pages link to them or at random.
 * Invariant: the same numbers give the same URLs; a number from `size` on has never been offered before.
 */

import { hash32 } from "./web/chance.ts";

const URLS_PER_HOST = 1000;
/** Of a page's links so many lead to its own host; the others anywhere. */
const OWN_SHARE = 0.9;

export type LinkShape = "pages" | "random";

/** The URL numbered `n`. */
export function urlOf(n: number): string {
  const host = Math.floor(n / URLS_PER_HOST);
  return `https://www.site-${host.toString(36)}.example/section-${n % 37}/article-${n}.html`;
}

/** A URL of the host that URL `n` is of, which isn't among the numbered ones. */
function freshUrl(n: number, serial: number): string {
  const host = Math.floor(n / URLS_PER_HOST);
  return `https://www.site-${host.toString(36)}.example/new-${serial.toString(36)}/x.html`;
}

export interface Offers {
  readonly size: number;
  readonly batch: number;
  readonly seenShare: number;
  readonly shape: LinkShape;
}

export class OfferMaker {
  #serial = 0;
  #draws = 0;

  /** One batch: links of one page (and of as many further pages as it takes, 100 links each), or any. */
  batch({ size, batch, seenShare, shape }: Offers): string[] {
    const urls: string[] = [];
    let page = 0;
    for (let i = 0; i < batch; i++) {
      if (i % 100 === 0) page = this.#draw(size);
      const isOwn = shape === "pages" && this.#draw(1000) < OWN_SHARE * 1000;
      const first = page - (page % URLS_PER_HOST);
      const n = isOwn ? first + this.#draw(Math.min(URLS_PER_HOST, size - first)) : this.#draw(size);
      urls.push(this.#draw(1000) < seenShare * 1000 ? urlOf(n) : freshUrl(n, this.#serial++));
    }
    return urls;
  }

  #draw(below: number): number {
    return hash32(17, ++this.#draws, 3) % below;
  }
}
