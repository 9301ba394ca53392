/**
 * The control database in RAM: the executable specification of ControlStore.
 * Invariant: an answer given under an idempotency key is found again for 24 h, the first one winning.
 */

import type { ControlStore, CrawlRow } from "../ports.ts";
import type { CrawlId } from "../../protocol/mod.ts";
import type { AllotmentClaim, AllotmentStore, ClusterStore, DirectoryStore } from "../owner_ports.ts";
import { memoryAllotments } from "./memory_allotments.ts";
import { MemoryDirectoryDisk, MemoryDirectoryStore } from "./memory_directory.ts";
import { MemoryOperatorDisk, MemoryOperatorStore } from "./memory_operators.ts";

const KEPT_MS = 24 * 3_600_000;

/** What a crash leaves. */
export class MemoryControlDisk extends MemoryOperatorDisk {
  readonly crawls = new Map<CrawlId, CrawlRow>();
  readonly directory = new MemoryDirectoryDisk();
  readonly allotments = new Map<string, AllotmentClaim>();
  readonly answers = new Map<string, { readonly answer: string; readonly at: number }>();
}

export class MemoryControlStore extends MemoryOperatorStore implements ControlStore, ClusterStore {
  readonly directory: DirectoryStore;
  readonly allotments: AllotmentStore;
  readonly #disk: MemoryControlDisk;

  constructor(disk: MemoryControlDisk = new MemoryControlDisk()) {
    super(disk);
    this.#disk = disk;
    this.directory = new MemoryDirectoryStore(disk.directory);
    this.allotments = memoryAllotments(disk.allotments);
  }

  async open(): Promise<void> {}

  async crawls(): Promise<CrawlRow[]> {
    return [...this.#disk.crawls.values()];
  }

  async putCrawl(crawl: CrawlRow, over: number): Promise<boolean> {
    const { crawls, directory } = this.#disk;
    const known = crawls.get(crawl.crawlId);
    if ((known?.stateVersion ?? 0) !== over) return JSON.stringify(known) === JSON.stringify(crawl);
    crawls.set(crawl.crawlId, crawl);
    directory.changes++;
    return true;
  }

  async idempotent(key: string, now: number): Promise<string | undefined> {
    const kept = this.#disk.answers.get(key);
    return kept === undefined || now - kept.at >= KEPT_MS ? undefined : kept.answer;
  }

  async putIdempotent(key: string, answer: string, now: number): Promise<void> {
    const { answers } = this.#disk;
    for (const [known, { at }] of answers) if (now - at >= KEPT_MS) answers.delete(known);
    if (!answers.has(key)) answers.set(key, { answer, at: now });
  }

  async close(): Promise<void> {}
}
