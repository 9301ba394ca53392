/**
 * Asks for a permit where it is to be had: of the lease's coordinator, and with its word of the one that it refers to.
 * Invariant: one question follows another at most; times count from the sending of the one that was answered.
 */

import { LIMITS, type Referral } from "../protocol/mod.ts";
import type { Clock } from "../runtime/ports.ts";
import { Stopwatch } from "./stopwatch.ts";

/** A referral in hand, and since when. */
export interface Referred extends Referral {
  readonly asked: Stopwatch;
}

export interface Permitted<Reply> {
  readonly reply: Reply;
  /** Since the sending of the question that was answered. */
  readonly sent: Stopwatch;
  /** Whose owner answered: an earlier or a new referral; absent = the lease's own. */
  readonly referred?: Referred;
}

/** `ask` is given what is to be changed of the request. `known`: a referral of an earlier answer, which may count still. */
export async function askReferred<Reply extends { readonly referral?: Referral }>(
  ask: (change: Partial<Referral>) => Promise<Reply>,
  clock: Clock,
  known?: Referred,
): Promise<Permitted<Reply>> {
  const isKnown = known !== undefined && known.asked.elapsedMs() < LIMITS.referralMs / 2;
  if (isKnown) return await follow(ask, clock, known);
  const sent = Stopwatch.start(clock);
  const reply = await ask({});
  if (reply.referral === undefined) return { reply, sent };
  return await follow(ask, clock, { ...reply.referral, asked: sent });
}

async function follow<Reply>(
  ask: (change: Partial<Referral>) => Promise<Reply>,
  clock: Clock,
  referred: Referred,
): Promise<Permitted<Reply>> {
  const sent = Stopwatch.start(clock);
  const { slot, ticket } = referred;
  return { reply: await ask({ slot, ticket }), sent, referred };
}
