/**
 * One turn of a shard's writer: the operations that go into one commit, and what they need of the store.
 * Invariant: operations first say what they need (`plan`), then the store is read, then all are applied without a wait.
 */

import type { OutboxRow } from "../../protocol/mod.ts";
import { LinkSpan, type SpanOptions } from "./links.ts";
import type { ReceivedRow } from "../slot_ports.ts";
import type { Arrival } from "./handover/arrival.ts";
import type { RowName } from "./outbox_index.ts";
import type { Shard } from "./shard.ts";

export interface Operation<T> {
  /** True: the caller works on meanwhile and loses nothing by waiting, but for the time until its next report. */
  readonly isPatient?: boolean;
  /** Says what the operation needs; the shard in RAM is as the store is. */
  plan?(round: Round): void;
  /** Changes the shard and its batch. Its answer is given to the caller after the commit. A throw is a bug. */
  apply(round: Round): T;
}

export class Round {
  readonly shard: Shard;
  /** Wall ms: one for the whole round. */
  readonly now: number;
  readonly spans: LinkSpan[] = [];
  /** Leases that the round may grant at most, by region. */
  readonly leasesWanted = new Map<string, number>();
  /** Outbox rows that its lease replies may carry. */
  outboxWanted = 0;
  /** Names of outbox rows that may be merged, and those rows. */
  readonly mergedNames: RowName[] = [];
  mergedRows: OutboxRow[] = [];
  /** Rows that were read for them. */
  outboxRows: OutboxRow[] = [];
  readonly receivedRows: ReceivedRow[] = [];
  /** Names of rows that came in before, in earlier rounds and in this one. */
  readonly receivedBefore = new Set<string>();
  /** Rows of slots that come here: their keys are asked of the seen-set before `apply`. */
  readonly arrivals: Arrival[] = [];

  constructor(shard: Shard, now: number) {
    this.shard = shard;
    this.now = now;
  }

  /** A region's edge asks for so many leases. */
  wantLeases(region: string, count: number): void {
    this.leasesWanted.set(region, (this.leasesWanted.get(region) ?? 0) + count);
  }

  /** The links are classified before `apply`. */
  links(options: SpanOptions): LinkSpan {
    const span = new LinkSpan(options);
    this.spans.push(span);
    return span;
  }
}
