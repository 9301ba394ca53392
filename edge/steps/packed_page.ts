/**
 * A page that another thread scans: what it is given, and what it answers, as plain values that are cheap to hand over.
 * Invariant: unpacked, the facts and the outlinks are those of a scan in this thread.
 */

import type { Core, LinkKind, Outlink, OutlinkChoice, PageFacts, ScanOptions } from "../../core-wasm/core.ts";

export interface PageToScan {
  readonly html: Uint8Array;
  readonly options: ScanOptions;
  /** Leave out links whose rel has `nofollow`. */
  readonly skipNofollow: boolean;
}

/** What is left of PageFacts when its links lie beside it. */
export type BareFacts = Omit<PageFacts, "links" | "outlinks">;

export interface PackedPage {
  readonly facts: BareFacts;
  /** Outlinks, one a line: no URL holds a line end (URL Standard 4.4). */
  readonly urls: string;
  readonly kinds: readonly LinkKind[];
  /** Low and high half of each hash. */
  readonly hashes: Uint32Array;
}

/** Scans; for the thread. */
export function packPage(core: Pick<Core, "scan">, { html, options, skipNofollow }: PageToScan): PackedPage {
  const page = core.scan(html, options);
  const links = page.outlinks({ skipNofollow });
  const hashes = new Uint32Array(2 * links.length);
  links.forEach(({ hash }, i) => hashes.set(hash, 2 * i));
  return {
    // Its links are no fields of it.
    facts: { ...page } as BareFacts,
    urls: links.map(({ url }) => url).join("\n"),
    kinds: links.map(({ kind }) => kind),
    hashes,
  };
}

/** A page whose thread ended before it had answered. */
export function unanswered({ options }: PageToScan, failed: string): PackedPage {
  const facts: BareFacts = {
    ...{ base: options.url, title: "", lang: "", charset: "utf-8", noindex: false, nofollow: false, noarchive: false },
    ...{ nosnippet: false, simhash: 0n, textHash: 0n, textLength: 0, truncated: true, failed },
  };
  return { facts, urls: "", kinds: [], hashes: new Uint32Array(0) };
}

/** As PageFacts has it, but links were taken or left by `skipNofollow` when it was packed. */
export function unpackPage({ facts, urls, kinds, hashes }: PackedPage): BareFacts & Pick<PageFacts, "outlinks"> {
  const outlinks = ({ isKnown }: OutlinkChoice = {}): Outlink[] => {
    let lines: string[] | undefined;
    const links: Outlink[] = [];
    kinds.forEach((kind, i) => {
      const [low, high] = [hashes[2 * i]!, hashes[2 * i + 1]!];
      if (isKnown?.(low, high) === true) return;
      lines ??= urls.split("\n");
      links.push({ url: lines[i]!, kind, hash: [low, high] });
    });
    return links;
  };
  return { ...facts, outlinks };
}
