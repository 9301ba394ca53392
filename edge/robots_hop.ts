/**
 * One request of a robots target: under the lease on its own host, by permit on another (RFC 9309 2.3.1.2 lets
 * robots.txt redirect across hosts).
 * Invariant: a permitted request reaches its host within LIMITS.permitStartMs of the moment that it was permitted for,
 * or isn't sent: the coordinator counts on that when it frees the host's clock.
 */

import type { PermitReply, PermitRequest, Target } from "../protocol/mod.ts";
import { hostKeyOf, LIMITS } from "../protocol/mod.ts";
import { type Answered, ask, onceMoreIfLost, send, type ToAsk } from "./exchange.ts";
import type { LeaseHold } from "./lease_hold.ts";
import type { EdgeParts } from "./parts.ts";
import { askReferred, type Permitted, type Referred } from "./referral.ts";
import { Stopwatch } from "./stopwatch.ts";

/**
 * How long a hop waits for another host. Two hosts whose robots.txt lead to each other would wait for one another
 * for ever, so the one that sorts first gives in early and frees itself.
 */
const LONG_PATIENCE_MS = 60_000;
const SHORT_PATIENCE_MS = 10_000;
/** With less than this left no connection is tried on a permit; it is asked for anew. */
const LEAST_CONNECT_MS = 500;
/** When to try again to get to an address that is full. */
const FULL_ADDRESS_MS = 500;

/** `refused`: the other host can't be asked now. undefined: the lease ended before a request was made. */
export type HopAnswer = Answered | "refused" | undefined;

export async function askHop(hold: LeaseHold, parts: EdgeParts, what: ToAsk): Promise<HopAnswer> {
  const { url, target } = what;
  const facts = parts.core.url(url);
  const host = "error" in facts ? "" : hostKeyOf(facts.host);
  if ("error" in facts || host === hold.lease.host) return await ask(hold, parts, what);
  const { domain } = facts;
  const patienceMs = hold.lease.host < host ? SHORT_PATIENCE_MS : LONG_PATIENCE_MS;
  return await onceMoreIfLost(() => askElsewhere(hold, parts, { url, target, host, domain, patienceMs }));
}

async function askElsewhere(hold: LeaseHold, parts: EdgeParts, visit: Visit): Promise<HopAnswer> {
  // A start of this lease as well: where both hosts are of one domain or address, its part of them covers the hop.
  if (!(await hold.mayGoOn())) return undefined;
  const started = parts.clock.monotonicMs();
  let answered: HopAnswer;
  try {
    return answered = await byPermit(hold, parts, visit);
  } finally {
    hold.pace.responded(...seenBy(answered, started, parts.clock.monotonicMs()));
  }
}

interface Visit {
  readonly url: string;
  readonly target: Target;
  readonly host: string;
  readonly domain: string;
  readonly patienceMs: number;
}

async function byPermit(hold: LeaseHold, parts: EdgeParts, visit: Visit): Promise<HopAnswer> {
  const { url, target, host, domain, patienceMs } = visit;
  const { lease_id, epoch, slot } = hold.lease;
  const worker_id = parts.settings.workerId;
  const waited = Stopwatch.start(parts.clock);
  const request = { worker_id, lease_id, epoch, slot, host, domain };
  let referred: Referred | undefined;
  while (await hold.stands()) {
    const asked = await permitted(parts, request, referred);
    if (asked === undefined) return "refused";
    const { reply, sent } = asked;
    // Granted, its word is used up.
    referred = reply.granted ? undefined : asked.referred;
    if (!reply.granted && waited.elapsedMs() + reply.wait_ms > patienceMs) return "refused";
    await hold.pause(reply.wait_ms);
    if (!reply.granted) continue;
    const leftMs = LIMITS.permitStartMs - Math.max(0, sent.elapsedMs() - reply.wait_ms);
    if (leftMs < LEAST_CONNECT_MS || hold.over) continue;
    const sendBy = parts.clock.monotonicMs() + leftMs;
    const onSent = () => hold.pace.sent(parts.clock.monotonicMs());
    const answered = await send(hold, parts, { url, target, sendBy, onSent });
    if (!isPutOff(answered) || hold.over || waited.elapsedMs() > patienceMs) return answered;
    // The address' owner took its time: this permit is void, and with the address' own the next one will do. Or the
    // address is full, and may have room soon.
    if (parts.clock.monotonicMs() < sendBy) await hold.pause(FULL_ADDRESS_MS);
  }
  return undefined;
}

/** Undefined: nobody answers for the other host now. That isn't this machine's trouble. */
async function permitted(
  { frontier, clock, log }: EdgeParts,
  request: PermitRequest,
  referred: Referred | undefined,
): Promise<Permitted<PermitReply> | undefined> {
  try {
    return await askReferred((change) => frontier.permit({ ...request, ...change }), clock, referred);
  } catch (error) {
    log.warn("could not ask for a permit; the host is asked another time", {
      host: request.host,
      error: String(error),
    });
    return undefined;
  }
}

/** Nothing was sent, as the permit's time was over, or its address' owner said no. */
function isPutOff({ answer }: Answered): boolean {
  return !answer.ok && answer.failure === "aborted" && !answer.sent;
}

/** When the other host had certainly seen the request, and how long it took; without one the lease's own gap counts from now. */
function seenBy(answered: HopAnswer, started: number, now: number): [seenAt: number, totalMs: number] {
  if (answered === undefined || answered === "refused") return [started, 0];
  const { timings, ok } = answered.answer;
  const seenMs = ok ? timings.firstByteMs ?? timings.totalMs : timings.totalMs;
  return [Math.min(now, timings.startedAt + seenMs), timings.totalMs];
}
