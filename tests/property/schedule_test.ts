/**
 * The schedule against a plain list of hosts: whatever happens in whatever order, a region gets exactly what it may have.
 * Invariant: the model looks at every host each time; it shares no code with the schedule.
 */

import assert from "node:assert/strict";
import fc from "fast-check";
import { HostSchedule, type Scheduled } from "../../coordinator/frontier/queues/schedule.ts";
import { test } from "../support/test.ts";

const HOSTS = 8;
const BANDS = 4;
const PATIENCE_MS = 50;
const SILENT_MS = 120;
const REGIONS = ["eu", "us", "ap"];

interface Host extends Scheduled {
  readonly index: number;
}

/** Where a host should be: its last placing, and since when it could have been leased. */
interface Model {
  at: number;
  band: number;
  region: string;
  isFirm: boolean;
  since: number;
  /** It kept its patience, but stands at the end of a queue. */
  isPlacedAnew: boolean;
}

const nat = (max: number) => fc.nat(max);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("place" as const),
      host: nat(HOSTS - 1),
      inMs: fc.integer({ min: -100, max: 200 }),
      band: nat(BANDS - 1),
      region: fc.constantFrom("", ...REGIONS),
      isFirm: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), host: nat(HOSTS - 1) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("pick" as const),
      region: fc.constantFrom("", ...REGIONS),
      isInVain: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: nat(80) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

class Run {
  now = 1_000;
  readonly askedAt = new Map(REGIONS.map((region) => [region, 1_000]));
  readonly hosts = Array.from({ length: HOSTS }, (_, index): Host => ({
    index,
    ticket: 0,
    placedAt: NaN,
    placedBand: 0,
    placedRegion: "",
    placedFirmly: false,
    readySince: NaN,
  }));
  readonly model = new Map<Host, Model>();
  readonly schedule = new HostSchedule<Host>({
    bands: BANDS,
    patienceMs: PATIENCE_MS,
    isSilent: (region, now) => now - this.askedAt.get(region)! >= SILENT_MS,
  });

  mayTake({ at, region, isFirm, since }: Model, asker: string): boolean {
    if (at > this.now) return false;
    if (region === "" || region === asker) return true;
    if (isFirm) return false;
    return this.now >= since + PATIENCE_MS || this.now - this.askedAt.get(region)! >= SILENT_MS;
  }

  place(host: Host, where: Omit<Model, "since" | "isPlacedAnew">): void {
    const { at, band, region } = where;
    const isFirm = where.isFirm && region !== "";
    const before = this.model.get(host);
    const isWaiting = before !== undefined && before.since <= this.now && at <= this.now;
    const since = isWaiting ? before.since : Math.max(at, this.now);
    this.model.set(host, { at, band, region, isFirm, since, isPlacedAnew: isWaiting });
    this.schedule.place(host, { at, band, region, isFirm }, this.now);
  }

  pick(asker: string, isInVain: boolean): void {
    if (asker !== "") this.askedAt.set(asker, this.now);
    const view = this.schedule.view(asker, this.now);
    const allowed = [...this.model].filter(([, model]) => this.mayTake(model, asker));
    assert.equal(view.hasReady, allowed.length > 0);
    const peeked = view.peek(HOSTS);
    assert.equal(peeked.length, allowed.length, "a host stands twice, or is missing");
    assert.deepEqual(new Set(peeked), new Set(allowed.map(([host]) => host)));
    const picked = view.pick();
    assert.equal(picked === undefined, allowed.length === 0, "a host is missing, or one too many is there");
    if (picked === undefined) return this.checkWake(asker);
    const model = this.model.get(picked);
    assert.ok(model !== undefined && this.mayTake(model, asker), `host ${picked.index} isn't ${asker}'s to take`);
    for (const [, other] of allowed) {
      if (other.band === model.band && !other.isPlacedAnew) {
        assert.ok(model.since <= other.since, "another waits longer");
      }
    }
    if (isInVain) return this.place(picked, model);
    this.remove(picked);
  }

  /** Nothing is ready: the schedule says when something will be, should all regions go on as they are. */
  checkWake(asker: string): void {
    const times = [...this.model.values()].map(({ at, region, isFirm, since }) => {
      if (region === "" || region === asker) return at;
      return isFirm ? Infinity : Math.max(at, since) + PATIENCE_MS;
    });
    const wakeAt = this.schedule.nextWakeAt(asker, this.now);
    assert.ok(wakeAt <= Math.min(...times), `${wakeAt} is later than ${Math.min(...times)}`);
  }

  remove(host: Host): void {
    this.model.delete(host);
    this.schedule.remove(host);
  }

  step(step: Step): void {
    switch (step.kind) {
      case "place":
        return this.place(this.hosts[step.host]!, { ...step, at: this.now + step.inMs });
      case "remove":
        return this.remove(this.hosts[step.host]!);
      case "pick":
        return this.pick(step.region, step.isInVain);
      case "wait":
        this.now += step.ms;
    }
  }

  /** Every host that stands somewhere comes out once. */
  drain(): void {
    this.now += 1_000;
    const left = this.model.size;
    for (let picks = 0; picks < left; picks++) {
      for (const region of REGIONS) this.pick(region, false);
    }
    assert.equal(this.model.size, 0);
    for (const region of REGIONS) assert.equal(this.schedule.view(region, this.now).pick(), undefined);
  }
}

test("a region gets the hosts that it may have, the longest waiting first, and none is lost or stands twice", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const run = new Run();
      for (const one of steps) run.step(one);
      run.drain();
    }),
    { numRuns: 500 },
  );
});

test("a host of the last band is taken in a bounded number of picks, however many more urgent ones come", () => {
  const run = new Run();
  const [last, ...urgent] = run.hosts as [Host, ...Host[]];
  run.place(last, { at: 0, band: BANDS - 1, region: "", isFirm: false });
  for (const [i, host] of urgent.entries()) {
    run.place(host, { at: 0, band: i % (BANDS - 1), region: "eu", isFirm: false });
  }
  let picks = 1;
  for (let picked = run.schedule.view("eu", run.now).pick()!; picked !== last; picks++) {
    run.schedule.place(picked, { at: 0, band: picked.placedBand, region: "eu", isFirm: false }, run.now);
    picked = run.schedule.view("eu", run.now).pick()!;
  }
  assert.ok(picks <= 2 ** BANDS, `${picks} picks`);
});
