/**
 * One lease request over several coordinators: asks them in turn until the wish is met.
 * Invariant: never more leases than were wished for, counting those that requests under way may bring; a coordinator that
 * is slow is waited for a moment only, and what it grants comes with a later call, its times counted from when it was asked.
 */

import {
  type Lease,
  type LeaseReply,
  type LeaseRequest,
  LIMITS,
  type OutboxRow,
  type WorkerId,
} from "../../protocol/mod.ts";
import { CoordinatorRefused } from "./coordinator_client.ts";
import type { FleetCalls } from "./fleet_calls.ts";
import type { FleetMap, FleetOptions } from "./fleet_map.ts";
import { postOf } from "./verbs.ts";

/** How long a coordinator that answered in time before is waited for, while there are others. */
const PATIENCE_MS = 1_000;
/** When to come back for what a request under way may bring. */
const COME_BACK_MS = 250;
/** How long the end waits for leases that are on their way. */
const LAST_WAIT_MS = 2_000;

interface Moment {
  readonly wall: number;
  readonly monotonic: number;
}

/** A coordinator as a lessor. */
interface Lessor {
  readonly base: string;
  asking: Promise<void> | undefined;
  /** Leases that the request under way may bring. */
  reserved: number;
  /** Monotonic ms before which it isn't asked, and what that grows from. */
  notBefore: number;
  waitMs: number;
  /** The last request wasn't answered in time: it isn't waited for. */
  isSlow: boolean;
  failure: string;
}

interface Arrived {
  readonly reply: LeaseReply;
  readonly sent: Moment;
  readonly arrived: Moment;
}

/** What one call has gathered. */
interface Gathered {
  readonly called: Moment;
  readonly leases: Lease[];
  readonly outbox: OutboxRow[];
  readonly reasons: Set<string>;
  targets: number;
  retryAfterMs: number;
}

export interface LeasesOptions extends Pick<FleetOptions, "clock" | "random" | "signal"> {
  /** Hands back leases that there is no room for. */
  readonly release: (worker: WorkerId, leases: readonly Lease[]) => Promise<void>;
}

export class FleetLeases {
  readonly #fleet: FleetMap;
  readonly #calls: FleetCalls;
  readonly #options: LeasesOptions;
  readonly #lessors = new Map<string, Lessor>();
  #arrived: Arrived[] = [];
  /** What a coordinator refused for good. */
  #refusal: CoordinatorRefused | undefined;
  #turn = 0;

  constructor(fleet: FleetMap, calls: FleetCalls, options: LeasesOptions) {
    this.#fleet = fleet;
    this.#calls = calls;
    this.#options = options;
  }

  /** Rejects with CoordinatorRefused when all refuse for good, and when the edge stops before anybody answered. */
  async lease(request: LeaseRequest): Promise<LeaseReply> {
    const { clock } = this.#options;
    if (this.#fleet.bases.length === 1) return await this.#leaseAlone(request);
    const called = this.#now();
    for (;;) {
      const gathered: Gathered = {
        called,
        leases: [],
        outbox: [],
        reasons: new Set(),
        targets: 0,
        retryAfterMs: Infinity,
      };
      await this.#askAll(request, gathered);
      const { map } = this.#fleet;
      if (map !== undefined) return this.#merged(gathered, map);
      // Nobody has answered since the start.
      const [base] = this.#fleet.bases;
      this.#fleet.client(base!).refuseWhenOver(leaseCall(request));
      await clock.sleep(COME_BACK_MS, this.#options.signal);
      this.#fleet.client(base!).refuseWhenOver(leaseCall(request));
    }
  }

  /** As with any coordinator that has everything. */
  async #leaseAlone(request: LeaseRequest): Promise<LeaseReply> {
    const { answer, sentAfterMs } = await this.#fleet.client(this.#fleet.bases[0]!).send(leaseCall(request));
    const reply = lengthened(answer as LeaseReply, sentAfterMs);
    this.#fleet.learn(reply.slot_map, this.#fleet.bases[0]!);
    return reply;
  }

  async #askAll(request: LeaseRequest, gathered: Gathered): Promise<void> {
    this.#refusal = undefined;
    let answers = this.#take(request, gathered);
    const bases = this.#fleet.lessors;
    const first = this.#turn++;
    // Who wants no lease has something to say, or carries outbox rows alone: everybody is asked.
    for (let step = 0; step < bases.length && !this.#options.signal?.aborted; step++) {
      const lessor = this.#lessor(bases[(first + step) % bases.length]!);
      if (lessor.asking !== undefined || this.#options.clock.monotonicMs() < lessor.notBefore) continue;
      const reserved = this.#reserved();
      const wish = request.max_leases - gathered.leases.length - reserved;
      const targets = request.max - gathered.targets;
      if ((wish <= 0 || targets <= 0) && request.max_leases > 0) break;
      const holding = request.holding + gathered.leases.length + reserved;
      const most = Math.max(0, Math.min(wish, share(lessor, wish, bases.length)));
      this.#ask(lessor, { ...request, max_leases: most, max: targets, holding });
      await this.#waitFor(lessor);
      answers += this.#take(request, gathered);
    }
    if (answers === 0 && this.#refusal !== undefined) throw this.#refusal;
  }

  /** Starts a request; it never rejects. */
  #ask(lessor: Lessor, request: LeaseRequest): void {
    const sent = this.#now();
    lessor.reserved = request.max_leases;
    lessor.asking = this.#request(lessor, request, sent).finally(() => {
      lessor.asking = undefined;
      lessor.reserved = 0;
    });
  }

  async #request(lessor: Lessor, request: LeaseRequest, sent: Moment): Promise<void> {
    const { base } = lessor;
    try {
      const attempt = await this.#fleet.client(base).attempt(leaseCall(request));
      if ("answer" in attempt) {
        const reply = attempt.answer as LeaseReply;
        this.#fleet.answered(base);
        this.#fleet.learn(reply.slot_map, base);
        Object.assign(lessor, { notBefore: 0, waitMs: LIMITS.apiRetryMs, failure: "" });
        this.#arrived.push({ reply, sent, arrived: this.#now() });
        return;
      }
      this.#failed(lessor, attempt.failure, attempt.retryAfterMs);
    } catch (error) {
      if (error instanceof CoordinatorRefused) this.#refusal = error;
      this.#failed(lessor, (error as Error).message, LIMITS.apiRetryMaxMs);
    }
    void this.#calls.refresh(base);
  }

  #failed(lessor: Lessor, failure: string, retryAfterMs: number): void {
    const { clock, random } = this.#options;
    const waitMs = Math.max(retryAfterMs, lessor.waitMs * (0.5 + random.next() / 2));
    lessor.notBefore = clock.monotonicMs() + waitMs;
    lessor.waitMs = Math.min(2 * lessor.waitMs, LIMITS.apiRetryMaxMs);
    lessor.failure = failure;
    // Next time it may be silent for long.
    lessor.isSlow = true;
  }

  async #waitFor(lessor: Lessor): Promise<void> {
    const { asking, isSlow } = lessor;
    const over = new AbortController();
    if (!isSlow) await Promise.race([asking, this.#options.clock.sleep(PATIENCE_MS, over.signal)]);
    over.abort("answered");
    if (lessor.asking !== asking) return;
    // A silent one holds back nothing; where it grants much all the same, what is too much goes back.
    if (!isSlow) lessor.reserved = 0;
    lessor.isSlow = true;
    void asking?.then(() => lessor.isSlow = lessor.failure !== "");
  }

  /** Takes what has arrived since, as far as there is room; how many replies there were. */
  #take(request: LeaseRequest, gathered: Gathered): number {
    const arrived = this.#arrived.splice(0);
    for (const { reply, sent, arrived: at } of arrived) {
      const { called } = gathered;
      const shiftMs = Math.min(sent.wall - called.wall, sent.monotonic - called.monotonic);
      const heldMs = this.#options.clock.monotonicMs() - at.monotonic;
      const room = request.max_leases - gathered.leases.length;
      for (const lease of reply.leases.slice(0, room)) {
        gathered.leases.push(counted(lease, shiftMs, heldMs));
        gathered.targets += lease.targets.length;
      }
      if (reply.leases.length > room) this.#tooMany(request.worker_id, reply.leases.slice(room));
      gathered.outbox.push(...reply.outbox);
      gathered.retryAfterMs = Math.min(gathered.retryAfterMs, reply.retry_after_ms);
      if (reply.reason !== "") gathered.reasons.add(reply.reason);
    }
    return arrived.length;
  }

  #merged(gathered: Gathered, slot_map: LeaseReply["slot_map"]): LeaseReply {
    const { leases, outbox, reasons } = gathered;
    const now = this.#options.clock.monotonicMs();
    let retryAfterMs = gathered.retryAfterMs;
    for (const base of this.#fleet.lessors) {
      const { asking, notBefore, failure } = this.#lessor(base);
      if (asking !== undefined) retryAfterMs = Math.min(retryAfterMs, COME_BACK_MS);
      if (failure === "") continue;
      retryAfterMs = Math.min(retryAfterMs, Math.max(COME_BACK_MS, notBefore - now));
      reasons.add(`the coordinator at ${base} doesn't answer`);
    }
    const reason = leases.length > 0 ? "" : [...reasons].join("; ");
    const retry_after_ms = Math.min(retryAfterMs, LIMITS.apiRetryMaxMs);
    return { leases, outbox, slot_map, retry_after_ms, reason };
  }

  #tooMany(worker: WorkerId, leases: readonly Lease[]): void {
    void this.#options.release(worker, leases);
  }

  #reserved(): number {
    let sum = 0;
    for (const { reserved } of this.#lessors.values()) sum += reserved;
    return sum;
  }

  #lessor(base: string): Lessor {
    let lessor = this.#lessors.get(base);
    if (lessor === undefined) {
      const fresh = { asking: undefined, reserved: 0, notBefore: 0, waitMs: LIMITS.apiRetryMs, isSlow: false };
      this.#lessors.set(base, lessor = { base, ...fresh, failure: "" });
    }
    return lessor;
  }

  #now(): Moment {
    return { wall: this.#options.clock.wallMs(), monotonic: this.#options.clock.monotonicMs() };
  }

  /** Leases that nobody asked for any more, to be handed back. */
  async left(): Promise<Lease[]> {
    const asking = Array.from(this.#lessors.values(), (lessor) => lessor.asking);
    if (asking.some((some) => some !== undefined)) {
      const over = new AbortController();
      await Promise.race([Promise.all(asking), this.#options.clock.sleep(LAST_WAIT_MS, over.signal)]);
      over.abort("answered");
    }
    return this.#arrived.splice(0).flatMap(({ reply }) => reply.leases);
  }
}

/**
 * Leases that the coordinator is asked for. One that answers late gets its part of the wish alone, which others don't have
 * to wait for then; of one that didn't answer a single lease is enough to know that it does again.
 */
function share({ isSlow, failure }: Lessor, wish: number, lessors: number): number {
  if (failure !== "") return 1;
  return isSlow ? Math.ceil(wish / lessors) : wish;
}

/** The lease as if its request had been sent `shiftMs` after the call, and its reply had come `heldMs` later. */
function counted(lease: Lease, shiftMs: number, heldMs: number): Lease {
  const lateMs = Math.min(0, shiftMs);
  return {
    ...lease,
    expires_in_ms: lease.expires_in_ms + shiftMs,
    first_start_in_ms: Math.max(0, lease.first_start_in_ms - heldMs),
    ...(lateMs === 0 ? {} : { asked_ago_ms: -lateMs }),
    robots: lease.robots.map((ref) => ({ ...ref, expires_in_ms: ref.expires_in_ms + lateMs })),
  };
}

function leaseCall(request: LeaseRequest) {
  return { ...postOf("lease", JSON.stringify(request)), untilStop: true };
}

/** The reply as it would have come to a request that was sent at once. */
function lengthened(reply: LeaseReply, sentAfterMs: number): LeaseReply {
  const leases = reply.leases.map((lease) => ({ ...lease, expires_in_ms: lease.expires_in_ms + sentAfterMs }));
  return { ...reply, leases };
}
