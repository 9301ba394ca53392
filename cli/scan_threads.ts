/**
 * Threads that scan pages, so that more cores are used than those of fetching and of the frontier.
 * Invariant: each page that was taken is answered once. A thread that ends, or is silent for too long, is replaced: the
 * page that it was at counts as failed, what waited behind it goes to another thread. An answer is taken for the page
 * whose number it carries: on Bun a thread that failed at one page may answer the next before its end is told.
 */

import type { ScanThreads } from "../edge/ports.ts";
import { type PackedPage, type PageToScan, unanswered } from "../edge/steps/packed_page.ts";
import type { Clock, Logger } from "../runtime/ports.ts";

export interface ScanThreadsOptions {
  readonly count: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** What a thread runs. */
  readonly program?: URL;
  /** Silence after which a thread at work is given up, ms. */
  readonly patienceMs?: number;
}

/** Smaller pages are scanned where they were fetched: that is sooner done than handing them over (ADR 29). */
const LEAST_BYTES = 16 * 1024;
/** Pages that a thread may have: one at work, one that waits. What comes when all are full is scanned where it is. */
const PAGES_AT_ONCE = 2;
/** A core's budget ends any scan in seconds; this is for a thread that is lost in another way. */
const PATIENCE_MS = 60_000;

interface Waiting {
  readonly id: number;
  readonly page: PageToScan;
  readonly resolve: (packed: PackedPage) => void;
}

interface Answer {
  readonly id: number;
  readonly packed: PackedPage;
}

export interface OpenScanThreads extends ScanThreads {
  close(): void;
}

export function openScanThreads(options: ScanThreadsOptions): OpenScanThreads {
  const threads = Array.from({ length: options.count }, () => new ScanThread(options));
  return {
    scan(page) {
      if (page.html.length < LEAST_BYTES) return undefined;
      const free = threads.reduce((best, one) => (one.load < best.load ? one : best));
      return free.load < PAGES_AT_ONCE ? free.scan(page) : undefined;
    },
    close: () => threads.forEach((one) => one.close()),
  };
}

class ScanThread {
  readonly #options: ScanThreadsOptions;
  #worker: Worker;
  #waiting: Waiting[] = [];
  #nextId = 0;
  #watching: AbortController | undefined;
  #closed = false;

  constructor(options: ScanThreadsOptions) {
    this.#options = options;
    this.#worker = this.#start();
  }

  get load(): number {
    return this.#waiting.length;
  }

  scan(page: PageToScan): Promise<PackedPage> {
    return new Promise((resolve) => {
      const id = this.#nextId++;
      this.#waiting.push({ id, page, resolve });
      this.#worker.postMessage({ id, page });
      if (this.#waiting.length === 1) this.#watch();
    });
  }

  close(): void {
    this.#closed = true;
    this.#watching?.abort();
    this.#worker.terminate();
    for (const { page, resolve } of this.#waiting.splice(0)) resolve(unanswered(page, "the edge was closed"));
  }

  #start(): Worker {
    const program = this.#options.program ?? new URL("./scan_thread_main.ts", import.meta.url);
    const worker = new Worker(program, { type: "module" });
    worker.addEventListener("message", ({ data }) => {
      if (worker === this.#worker) this.#answered(data as Answer);
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      if (worker === this.#worker) this.#lost(`its thread ended: ${event.message}`);
    });
    return worker;
  }

  #answered({ id, packed }: Answer): void {
    const front = this.#waiting[0];
    // The page at the front was passed over: its thread is about to end, and what is behind it is scanned again.
    if (front === undefined || front.id !== id) return;
    this.#waiting.shift();
    front.resolve(packed);
    this.#watching?.abort();
    if (this.#waiting.length > 0) this.#watch();
  }

  /** From now the page at the front has the thread's attention. */
  #watch(): void {
    const watching = this.#watching = new AbortController();
    const patienceMs = this.#options.patienceMs ?? PATIENCE_MS;
    void this.#options.clock.sleep(patienceMs, watching.signal).then(() => {
      if (!watching.signal.aborted) this.#lost(`its thread was silent for ${patienceMs} ms`);
    });
  }

  #lost(why: string): void {
    if (this.#closed) return;
    this.#options.log.error("a thread that scans pages was lost; another takes its place", { why });
    this.#watching?.abort();
    this.#worker.terminate();
    this.#worker = this.#start();
    const front = this.#waiting.shift();
    front?.resolve(unanswered(front.page, why));
    for (const { id, page } of this.#waiting) this.#worker.postMessage({ id, page });
    if (this.#waiting.length > 0) this.#watch();
  }
}
