/**
 * Sends a request to whoever owns what it is about, wherever that moves meanwhile.
 * Invariant: an owner that doesn't answer, or says that it isn't one, is asked again with growing, jittered waits, and
 * others are asked where the shard is; of requests that follow each other at once there are never more than a few. A
 * request that is under way to an owner that is one no more is given up: every verb may be repeated.
 */

import { LIMITS, type SlotMap } from "../../protocol/mod.ts";
import { type Call, CoordinatorUnreached, type Failure } from "./coordinator_client.ts";
import type { FleetMap, FleetOptions } from "./fleet_map.ts";
import type { Carrier, Place, SendOptions, Sent } from "./verbs.ts";

/** Owners that are asked one after the other without a wait. */
const AT_ONCE = 3;
/** Shortest time between two questions where shards are. */
const REFRESH_MS = 250;

const MAP: Call = { method: "GET", path: "v1/frontier/map" };

interface UnderWay {
  readonly place: Place;
  readonly base: string;
  readonly cut: AbortController;
}

type Tried = { readonly answer: unknown } | (Failure & { readonly isElsewhere: boolean });

export class FleetCalls implements Carrier {
  readonly #fleet: FleetMap;
  readonly #options: Pick<FleetOptions, "clock">;
  readonly #underWay = new Set<UnderWay>();
  #refreshing: Promise<void> | undefined;
  #refreshedAt = -Infinity;
  #turn = 0;

  constructor(fleet: FleetMap, options: Pick<FleetOptions, "clock">) {
    this.#fleet = fleet;
    this.#options = options;
    fleet.onChange = () => this.#giveUpMoved();
  }

  /** Rejects with CoordinatorRefused when the owner refuses for good. */
  async send(call: Call, place: Place, options: SendOptions = {}): Promise<Sent> {
    const { clock } = this.#options;
    const called = { wall: clock.wallMs(), monotonic: clock.monotonicMs() };
    let base = this.#first(place);
    for (let waitMs: number = LIMITS.apiRetryMs, atOnce = 1;;) {
      this.#fleet.client(base).refuseWhenOver(call);
      const sentAfterMs = Math.min(clock.wallMs() - called.wall, clock.monotonicMs() - called.monotonic);
      const leftMs = (options.patienceMs ?? Infinity) - (clock.monotonicMs() - called.monotonic);
      const tried = await this.#try(call, { place, base, mostMs: leftMs });
      if ("answer" in tried) return { answer: tried.answer, sentAfterMs: Math.max(0, sentAfterMs) };
      if (!tried.isElsewhere) await this.refresh(base);
      const next = this.#next(place, base, options);
      const isOwner = next !== base && next === this.#fleet.ownerOf(place);
      if (isOwner && atOnce < AT_ONCE) atOnce++;
      else {
        const elapsedMs = clock.monotonicMs() - called.monotonic;
        if (elapsedMs + waitMs > (options.patienceMs ?? Infinity)) {
          throw new CoordinatorUnreached(`${tried.failure} It isn't asked again, as that would come too late.`);
        }
        await this.#fleet.client(base).pause(call, tried, waitMs);
        waitMs = Math.min(waitMs * 2, LIMITS.apiRetryMaxMs);
        atOnce = 1;
      }
      base = next === base ? this.#fleet.ownerOf(place) ?? base : next;
    }
  }

  /** One request; what is learnt of it is kept. */
  async #try(
    call: Call,
    { place, base, mostMs }: { readonly place: Place; readonly base: string; readonly mostMs: number },
  ): Promise<Tried> {
    const underWay: UnderWay = { place, base, cut: new AbortController() };
    this.#underWay.add(underWay);
    const over = new AbortController();
    if (mostMs < LIMITS.apiReplyMs) {
      void this.#options.clock.sleep(mostMs, over.signal).then(() => underWay.cut.abort("too late"));
    }
    try {
      const attempt = await this.#fleet.client(base).attempt(call, underWay.cut.signal);
      if ("answer" in attempt) {
        this.#fleet.answered(base);
        return attempt;
      }
      if (attempt.misdirected !== undefined) this.#fleet.learn(attempt.misdirected, base);
      const owner = this.#fleet.ownerOf(place);
      return { ...attempt, isElsewhere: owner !== undefined && owner !== base };
    } finally {
      over.abort("answered");
      this.#underWay.delete(underWay);
    }
  }

  #first(place: Place): string {
    return this.#fleet.ownerOf(place) ?? this.#anyBut(undefined);
  }

  /** The owner, as far as is known now; where that is the one that failed, another may know what is read. */
  #next(place: Place, failed: string, { isRead }: SendOptions): string {
    const owner = this.#fleet.ownerOf(place);
    if (owner !== undefined && owner !== failed) return owner;
    const isAlone = owner === failed && this.#fleet.map?.owners !== undefined && isRead !== true;
    return isAlone ? failed : this.#anyBut(failed);
  }

  #anyBut(base: string | undefined): string {
    const others = this.#fleet.bases.filter((other) => other !== base);
    return others.length === 0 ? base! : others[this.#turn++ % others.length]!;
  }

  /** Asks another coordinator than `failed` where shards are; at most one question at a time, and not often. */
  refresh(failed: string): Promise<void> {
    const { clock } = this.#options;
    if (this.#refreshing !== undefined) return this.#refreshing;
    if (this.#fleet.bases.length < 2 || clock.monotonicMs() - this.#refreshedAt < REFRESH_MS) return Promise.resolve();
    this.#refreshedAt = clock.monotonicMs();
    return this.#refreshing = this.#ask(this.#anyBut(failed)).finally(() => this.#refreshing = undefined);
  }

  async #ask(base: string): Promise<void> {
    // Whoever waits for it goes on before a silent one is given up.
    const over = new AbortController();
    const given = this.#fleet.client(base).attempt(MAP).then((attempt) => {
      if ("answer" in attempt) this.#fleet.learn((attempt.answer as { slot_map: SlotMap }).slot_map, base);
    }, () => {});
    await Promise.race([given, this.#options.clock.sleep(LIMITS.apiReplyMs / 10, over.signal)]);
    over.abort("answered");
  }

  #giveUpMoved(): void {
    for (const { place, base, cut } of this.#underWay) {
      const owner = this.#fleet.ownerOf(place);
      if (place !== "any" && owner !== undefined && owner !== base) cut.abort("moved");
    }
  }

  /** One group where one coordinator has everything, else one for each owner. */
  split<T>(items: readonly T[], placeOf: (item: T) => Place): Iterable<readonly [Place, readonly T[]]> {
    if (this.#fleet.map?.owners === undefined) return [["any", items]];
    const groups = new Map<string, [Place, T[]]>();
    for (const item of items) {
      const place = placeOf(item);
      const name = this.#fleet.ownerOf(place) ?? `shard ${this.#fleet.shardOf(place)}`;
      const group = groups.get(name);
      if (group === undefined) groups.set(name, [place, [item]]);
      else group[1].push(item);
    }
    return groups.values();
  }
}
