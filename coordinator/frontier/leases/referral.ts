/**
 * What one coordinator says to another by way of an edge: a word of a lease that it checked, signed with the secret that
 * all coordinators of a directory share.
 * Invariant: a word is believed only unaltered, for the kind, slot, worker and lease that the request names, and within
 * its time; one that moves a clock moves it once.
 */

import type { FailureClass, HostKey, LeaseId, Referral, WorkerId } from "../../../protocol/mod.ts";
import type { Clock, Logger, Random, Signer } from "../../../runtime/ports.ts";
import type { FrontierLimits } from "../settings.ts";

/** A lease wants to ask an address: what `noteAddressOperation` said of it. */
interface AddressWord {
  readonly kind: "address";
  /** See addressGroup. */
  readonly group: string;
  readonly gapMs: number;
  readonly maxParallel: number;
}

/** A lease wants to ask a host once. */
interface VisitWord {
  readonly kind: "visit";
  readonly host: HostKey;
  /** The longest delay of the crawls that the sender knows to be asking. */
  readonly delayMs: number;
}

/** A host was asked by permit: what became of it; `answer` is absent where another request followed. */
interface VisitedWord {
  readonly kind: "visited";
  readonly host: HostKey;
  readonly answer?: { readonly failure?: FailureClass; readonly retryAfterMs?: number };
}

export type Word = AddressWord | VisitWord | VisitedWord;

/** Who asks, and whose owner is asked. */
export interface Bearer {
  readonly workerId: WorkerId;
  readonly leaseId: LeaseId;
  readonly slot: number;
}

/** As it is signed. */
type Ticket<W extends Word> = W & Bearer & {
  /** Wall ms of the coordinator that wrote it. */
  readonly until: number;
  /** No two are alike. */
  readonly id: string;
};

/** Hex digits of a signature. */
const SIGNATURE_CHARS = 64;
/** Words that were used up and are remembered, oldest first out: more than a second brings. */
const REMEMBERED = 100_000;

export interface ReferralParts {
  /** Absent: this coordinator has all shards, so it refers nobody and believes nobody. */
  readonly signer?: Signer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly limits: FrontierLimits;
}

export class Referrals {
  readonly #parts: ReferralParts;
  /** By id, with the wall ms after which it would not be believed anyway. Of this process only. */
  readonly #used = new Map<string, number>();

  constructor(parts: ReferralParts) {
    this.#parts = parts;
  }

  /** Undefined when nothing can be signed. */
  write(word: Word, bearer: Bearer): Referral | undefined {
    const { signer, clock, random, limits } = this.#parts;
    if (signer === undefined) return undefined;
    const ticket: Ticket<Word> = { ...word, ...bearer, until: clock.wallMs() + limits.referralMs, id: random.hex(12) };
    const text = JSON.stringify(ticket);
    return { slot: bearer.slot, ticket: signer.sign(text) + text };
  }

  /** What `ticket` says; undefined when it isn't to be believed. */
  read<K extends Word["kind"]>(
    kind: K,
    ticket: string,
    bearer: Omit<Bearer, "leaseId"> & { readonly leaseId?: LeaseId },
  ): Ticket<Extract<Word, { kind: K }>> | undefined {
    const { signer, clock, limits } = this.#parts;
    const [signature, text] = [ticket.slice(0, SIGNATURE_CHARS), ticket.slice(SIGNATURE_CHARS)];
    if (signer?.verify(text, signature) !== true) return undefined;
    // Signed by one of ours, so it has the shape that `write` gave it.
    const said = JSON.parse(text) as Ticket<Extract<Word, { kind: K }>>;
    if (said.kind !== kind || said.slot !== bearer.slot || said.workerId !== bearer.workerId) return undefined;
    if (bearer.leaseId !== undefined && said.leaseId !== bearer.leaseId) return undefined;
    const leftMs = said.until - clock.wallMs();
    const isInTime = leftMs >= -limits.clockSkewMs && leftMs <= limits.referralMs + limits.clockSkewMs;
    if (!isInTime) this.#warn(leftMs);
    return isInTime ? said : undefined;
  }

  /** Edges carry words at once, so one that is that early or late was written by a clock that is wrong, or this one is. */
  #warn(leftMs: number): void {
    const { log, limits } = this.#parts;
    const aheadMs = leftMs - limits.referralMs;
    log.warn("another coordinator's clock differs too much from this one's; its referrals aren't taken", { aheadMs });
  }

  isUsed({ id }: { readonly id: string }): boolean {
    return this.#used.has(id);
  }

  /** It isn't taken again. */
  use({ id, until }: { readonly id: string; readonly until: number }): void {
    const { clock, limits } = this.#parts;
    for (const [old, overAt] of this.#used) {
      if (overAt > clock.wallMs() && this.#used.size < REMEMBERED) break;
      this.#used.delete(old);
    }
    this.#used.set(id, until + limits.clockSkewMs);
  }

  /** What it was used for didn't come about. */
  release({ id }: { readonly id: string }): void {
    this.#used.delete(id);
  }
}
