/**
 * What the archives have in common, whatever they append to: what they are made of, the names of their files, and the
 * captures that are on their way to becoming gzip members.
 * Invariant: one run gives no name twice, and `settled` resolves when nothing that was begun is still to be taken.
 */

import type { Clock, Digest, Gzip, Random } from "../../runtime/ports.ts";
import type { ArchiveEntry } from "../ports.ts";
import { captureMembers, type Members } from "./capture_members.ts";
import { timestamp17 } from "./timestamp.ts";
import type { CrawlInfo } from "./warcinfo.ts";

export interface WriterSettings {
  /** First part of each file's name: the crawl or the worker, `[A-Za-z0-9._-]{1,64}`. */
  readonly name: string;
  readonly info: CrawlInfo;
}

export interface WriterParts {
  /** `""` or a path that ends in `/`: storage keys are `<storagePrefix>warc/<file>`. */
  readonly storagePrefix: string;
  readonly gzip: Gzip;
  readonly digest: Digest;
  readonly clock: Clock;
  readonly random: Random;
}

export class WarcNames {
  readonly #name: string;
  readonly #run: string;
  #serial = 0;

  /** `run`: so that two processes that start in the same millisecond don't meet. */
  constructor(name: string, run: string) {
    this.#name = name;
    this.#run = run;
  }

  next(createdMs: number): string {
    const serial = String(this.#serial++).padStart(5, "0");
    return `${this.#name}-${timestamp17(createdMs)}-${this.#run}-${serial}.warc.gz`;
  }
}

export class Compressing {
  readonly #parts: Pick<WriterParts, "gzip" | "digest">;
  readonly #underWay = new Set<Promise<unknown>>();
  #isOver = false;

  constructor(parts: Pick<WriterParts, "gzip" | "digest">) {
    this.#parts = parts;
  }

  /** What `take` makes of the capture's members; it is called at once where nothing is to be compressed. */
  async add<T>(entry: ArchiveEntry, take: (members: Members) => T): Promise<T> {
    if (this.#isOver) throw new Error(`Archiving ${entry.exchange.url}: the archive is closed.`);
    const made = captureMembers(entry, this.#parts);
    if (!(made instanceof Promise)) return take(made);
    const taken = made.then(take);
    this.#underWay.add(taken);
    try {
      return await taken;
    } finally {
      this.#underWay.delete(taken);
    }
  }

  /** Takes no more. */
  async settled(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled(this.#underWay);
  }
}
