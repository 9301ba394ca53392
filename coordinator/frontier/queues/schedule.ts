/**
 * Which host is served next, and for which region: a host waits at the station of the region that it is to be leased to,
 * or where every region looks. One that was ready for `patienceMs` without being taken goes to where every region looks;
 * the stations of silent regions are looked at by all; a firm placing is for its region alone.
 * Invariant: a host stands at one place at most; within a band the one that is ready longest, of those that a region may
 * take, is taken first (one that was placed anew meanwhile may have lost its turn, not its patience); so nobody starves.
 */

import { BandPicker } from "../order/bands.ts";
import { TimeHeap } from "./heap.ts";
import { type Entry, isValid, type Scheduled, Station } from "./station.ts";

export type { Scheduled } from "./station.ts";

export interface ScheduleOptions {
  readonly bands: number;
  /** How long a host that is ready waits for its region before any other may take it, ms. */
  readonly patienceMs: number;
  /** True: the region hasn't asked for anything for so long that nobody waits for it. */
  readonly isSilent: (region: string, now: number) => boolean;
}

/** Where a host is to stand. */
export interface Stand {
  /** Wall ms from which it may be leased. */
  readonly at: number;
  readonly band: number;
  /** The region that is to be asked first; "" = whichever comes. */
  readonly region: string;
  /** No other region will do. */
  readonly isFirm: boolean;
}

export class HostSchedule<H extends Scheduled> {
  readonly #options: ScheduleOptions;
  readonly #anyone: Station<H>;
  /** Hosts that their region left waiting for too long. */
  readonly #overdue: Station<H>;
  readonly #byRegion = new Map<string, Station<H>>();
  readonly #firm = new Map<string, Station<H>>();
  /** Hosts that are ready at a region's station, by when their patience ends. */
  readonly #patience = new TimeHeap<Entry<H>>();
  readonly #views = new Map<string, RegionView<H>>();

  constructor(options: ScheduleOptions) {
    this.#options = options;
    this.#anyone = new Station(options.bands);
    this.#overdue = new Station(options.bands);
  }

  /** Replaces any earlier placing; where the host stands already it keeps its turn. */
  place(host: H, stand: Stand, now: number): void {
    const { at, band, region, isFirm } = stand;
    if (
      host.placedAt === at && host.placedBand === band && host.placedRegion === region && host.placedFirmly === isFirm
    ) return;
    host.placedAt = at;
    host.placedBand = band;
    host.placedRegion = region;
    host.placedFirmly = isFirm;
    // Patience isn't lost by standing elsewhere; a host that slept, or stood nowhere, begins anew.
    if (!(at <= now && host.readySince <= now)) host.readySince = Math.max(at, now);
    this.#stationOf(region, isFirm).sleep({ host, ticket: ++host.ticket, band, since: host.readySince });
  }

  /** The host is leased, paused or has nothing to offer. */
  remove(host: H): void {
    takeOut(host);
    host.readySince = NaN;
  }

  /** What the region may take now. */
  view(region: string, now: number): RegionView<H> {
    this.#wake(now);
    let view = this.#views.get(region);
    if (view === undefined) this.#views.set(region, view = new RegionView(this.#options.bands));
    view.stations = this.#stationsFor(region, now);
    return view;
  }

  /** Wall ms at which something may become ready for the region; Infinity = nothing sleeps. */
  nextWakeAt(region: string, now: number): number {
    const { patienceMs } = this.#options;
    let at = Math.min(...this.#stationsFor(region, now).map((station) => station.nextWakeAt()));
    for (const station of this.#byRegion.values()) at = Math.min(at, station.nextWakeAt() + patienceMs);
    for (;;) {
      const next = this.#patience.peek();
      if (next === undefined) return at;
      if (isValid(next.item)) return Math.min(at, next.at);
      this.#patience.pop();
    }
  }

  #stationOf(region: string, isFirm: boolean): Station<H> {
    if (region === "") return this.#anyone;
    const stations = isFirm ? this.#firm : this.#byRegion;
    let station = stations.get(region);
    if (station === undefined) stations.set(region, station = new Station(this.#options.bands));
    return station;
  }

  #stationsFor(region: string, now: number): Station<H>[] {
    const stations = [this.#anyone, this.#overdue];
    const firm = this.#firm.get(region);
    if (firm !== undefined) stations.push(firm);
    for (const [name, station] of this.#byRegion) {
      if (name === region || this.#options.isSilent(name, now)) stations.push(station);
    }
    return stations;
  }

  #wake(now: number): void {
    const { patienceMs } = this.#options;
    const waits = (entry: Entry<H>) => this.#patience.push(entry.since + patienceMs, entry);
    for (const station of this.#byRegion.values()) station.wake(now, waits);
    for (const station of this.#firm.values()) station.wake(now, forNobody);
    this.#anyone.wake(now, forNobody);
    for (;;) {
      const next = this.#patience.peek();
      if (next === undefined || next.at > now) return;
      this.#patience.pop();
      const { item } = next;
      if (isValid(item)) this.#overdue.enqueue({ ...item, ticket: ++item.host.ticket });
    }
  }
}

function forNobody(): void {}

function takeOut(host: Scheduled): void {
  host.ticket++;
  host.placedAt = NaN;
}

/** The hosts that one region may take, as they are until the schedule is changed by more than `pick`. */
export class RegionView<H extends Scheduled> {
  stations: readonly Station<H>[] = [];
  readonly #bands: number;
  readonly #picker: BandPicker;

  constructor(bands: number) {
    this.#bands = bands;
    this.#picker = new BandPicker(bands);
  }

  /** Takes the next host. If it isn't leased after all, place it again: it has kept its patience. */
  pick(): H | undefined {
    const band = this.#picker.pick((index) => this.#longest(index) !== undefined);
    if (band < 0) return undefined;
    const station = this.#longest(band)!;
    const { host } = station.first(band)!;
    station.shift(band);
    takeOut(host);
    return host;
  }

  /** The station whose first host of the band is ready longest. */
  #longest(band: number): Station<H> | undefined {
    let found: Station<H> | undefined;
    let since = Infinity;
    for (const station of this.stations) {
      const first = station.first(band);
      if (first === undefined || (found !== undefined && first.since >= since)) continue;
      found = station;
      since = first.since;
    }
    return found;
  }

  /** The first `count` hosts of each band and station, without taking them. */
  peek(count: number): H[] {
    const found: H[] = [];
    for (let band = 0; band < this.#bands; band++) {
      for (const station of this.stations) found.push(...station.peek(band, count));
    }
    return found;
  }

  /** True when a host may be leased now. */
  get hasReady(): boolean {
    for (let band = 0; band < this.#bands; band++) if (this.#longest(band) !== undefined) return true;
    return false;
  }
}
