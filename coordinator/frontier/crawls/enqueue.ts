/**
 * Links that come from outside a page: seeds, and outbox rows of other shards.
 * Invariant: injecting the same seeds or delivering the same row again changes nothing.
 */

import type { OutboxLink, OutboxRow } from "../../../protocol/mod.ts";
import { type Accepted, acceptSpan, type Finding, isSeedPath } from "../accept.ts";
import { clampPriority } from "../order/bands.ts";
import type { Crawl } from "./crawl.ts";
import type { LinkSpan } from "../links.ts";
import { nameOfRow } from "../outbox_index.ts";
import type { Operation, Round } from "../round.ts";
import type { FrontierLimits } from "../settings.ts";

export interface SeedBatch {
  readonly crawl: Crawl;
  readonly urls: readonly string[];
  readonly priority: number;
  readonly depth: number;
  /** "" = these are seeds: exempt from include patterns, their hosts join the scope. */
  readonly discoveredFrom: string;
}

export class SeedOperation implements Operation<Accepted> {
  readonly #seeds: SeedBatch;
  #span: LinkSpan | undefined;

  constructor(seeds: SeedBatch) {
    this.#seeds = seeds;
  }

  plan(round: Round): void {
    const { crawl, urls, depth, discoveredFrom } = this.#seeds;
    this.#span = round.links({
      crawl,
      urls,
      depthAt: () => depth,
      isSeedLike: () => discoveredFrom === "",
    });
  }

  apply(round: Round): Accepted {
    const { depth, discoveredFrom, priority } = this.#seeds;
    const path = discoveredFrom === "" ? "I" : "L";
    const finding: Finding = { depth, hop: 0, path, from: discoveredFrom, priority: clampPriority(priority) };
    const sender = `seeds:${this.#seeds.crawl.id}:${round.shard.index}`;
    return acceptSpan(round, this.#span!, { describe: () => finding, sender });
  }
}

/**
 * Takes in rows of other shards; crawls that aren't known here are an error, so that nothing is acknowledged. Answers the
 * slots whose rows it left, since they are moving.
 */
export class ReceiveOperation implements Operation<number[]> {
  readonly #rows: readonly OutboxRow[];
  readonly #spans = new Map<OutboxRow, LinkSpan>();

  constructor(rows: readonly OutboxRow[]) {
    this.#rows = rows;
  }

  plan(round: Round): void {
    const { limits } = round.shard.parts.settings;
    for (const row of this.#rows) {
      const crawl = round.shard.parts.crawls.get(row.crawl_id);
      if (crawl === undefined) continue;
      round.receivedRows.push({ slot: row.slot, leaseId: row.lease_id, seq: row.seq });
      const findings = row.links.map((link) => receivedFinding(link, limits));
      const span = round.links({
        crawl,
        urls: row.links.map((link) => link.url),
        depthAt: (index) => findings[index]!.depth,
        isSeedLike: (index) => isSeedPath(findings[index]!.path),
        page: 0n,
      });
      this.#spans.set(row, span);
    }
  }

  apply(round: Round): number[] {
    const { limits } = round.shard.parts.settings;
    const moving: number[] = [];
    for (const [row, span] of this.#spans) {
      const name = { slot: row.slot, leaseId: row.lease_id, seq: row.seq };
      // Its name would stay behind, and the row could count twice.
      if (round.shard.marks.has(row.slot)) {
        moving.push(row.slot);
        continue;
      }
      if (round.receivedBefore.has(nameOfRow(name))) continue;
      round.receivedBefore.add(nameOfRow(name));
      round.shard.batch.receive(name);
      round.shard.changeCounts(row.crawl_id).received += row.links.length;
      const describe = (index: number) => receivedFinding(row.links[index]!, limits);
      acceptSpan(round, span, { describe, sender: `forward:${round.shard.index}` });
    }
    return moving;
  }
}

function receivedFinding(link: OutboxLink, limits: FrontierLimits): Finding {
  const depth = wholeFrom0(link.depth);
  const hop = Math.min(limits.redirectHops, wholeFrom0(link.hop));
  const path = /^[A-Z]{1,64}$/.test(link.discovery_path) ? link.discovery_path : "L";
  const finding: Finding = { depth, hop, path, from: link.discovered_from, priority: clampPriority(link.priority) };
  return hop > 0 ? { ...finding, band: 0 } : finding;
}

function wholeFrom0(value: number): number {
  return Number.isFinite(value) ? Math.max(0, Math.floor(value)) : 0;
}

export function ackOperation(rows: readonly { lease_id: string; seq: number }[]): Operation<void> {
  return {
    apply({ shard }) {
      for (const row of rows) {
        const name = { leaseId: row.lease_id, seq: row.seq };
        if (!shard.outbox.has(name)) continue;
        shard.outbox.remove(name);
        shard.batch.ackOutbox(name);
      }
    },
  };
}
