/**
 * Which region a host is leased to next: the nearest by connect time, kept until another is clearly better.
 * Invariant: pure but for the chance that is passed in. A pinned host never leaves its region. A host has one lease at a
 * time, and so is asked from one region at a time. Where all regions are near to within `BETTER_BY_MS`, any will do.
 *
 * A host without a home is tried once from every region, by small leases; then the nearest is its home. The home changes
 * when the last two connections from elsewhere took at most `BETTER_BY` of the home's best of five (three at least) and
 * `BETTER_BY_MS` less: twice, because one may be luck, and the home's best, because noise only adds. One lease in
 * `1 / probeShare` goes elsewhere, so that this can be seen. Connections that are kept tell nothing.
 */

import type { Random } from "../../../runtime/ports.ts";
import type { RegionFacts } from "../../host_ports.ts";
import {
  connectMsOf,
  factsOf,
  forgetBlocked,
  isGeoBlocked,
  isSuspect,
  lastConnectMs,
  provenConnectMs,
} from "./region_facts.ts";

/** Hysteresis: share of the home's connect time, and ms less than it, that another region must reach. */
export const BETTER_BY = 0.75;
export const BETTER_BY_MS = 10;
/** Connect times of the home below which it isn't known well enough to be left. */
const HOME_TIMES = 3;
/** Leases to a region without a connect time after which it counts as tried. */
const TRIES = 2;

export interface Placed {
  regions: readonly RegionFacts[];
  /** The region that is nearest, as far as known; "" = not known yet. */
  homeRegion: string;
  /** The operator's word; "" = none. */
  policyRegion: string;
  /** The region that the next lease is meant for; "" = whichever comes. */
  nextRegion: string;
  /** The next lease is to find something out, and small unless it goes home. */
  isProbe: boolean;
}

export interface PlacementView {
  /** Regions that ask for leases. */
  readonly live: readonly string[];
  readonly now: number;
  readonly random: Pick<Random, "next">;
  /** Share of leases that go to another region than the home, to learn. */
  readonly probeShare: number;
}

/** Decides `nextRegion`, and with it `homeRegion` and `isProbe`; called when a lease has ended. */
export function planNextLease(host: Placed, view: PlacementView): void {
  host.isProbe = false;
  host.nextRegion = host.policyRegion;
  if (host.policyRegion !== "") return;
  host.regions = forgetBlocked(host.regions, view.now);
  const trusted = view.live.filter((region) => !isSuspect(host.regions, region, view.now));
  // Refused everywhere: then it isn't the region.
  const open = trusted.length > 0 ? trusted : view.live;
  if (host.homeRegion === "") settleIn(host, open, view);
  else {
    moveHome(host, open, view.now);
    visit(host, open, view);
  }
}

/** No home yet: tries what hasn't been tried, then takes the nearest. With one region there is nothing to choose. */
function settleIn(host: Placed, open: readonly string[], { random }: PlacementView): void {
  if (open.length < 2) return;
  const untried = open.filter((region) => isUntried(host, region));
  if (untried.length > 0) {
    host.isProbe = true;
    // The very first lease goes to whoever asks first.
    host.nextRegion = host.regions.length === 0 ? "" : drawn(untried, random);
    return;
  }
  host.homeRegion = nearestOf(host, open);
  goHome(host, open);
}

/** A home that turns the host away is left at once; else another has to be better by the hysteresis. */
function moveHome(host: Placed, open: readonly string[], now: number): void {
  const others = open.filter((region) => region !== host.homeRegion);
  if (isGeoBlocked(host.regions, host.homeRegion, now)) {
    host.homeRegion = nearestOf(host, others) || host.homeRegion;
    return;
  }
  let bestMs = betterMs(host);
  for (const region of others) {
    const ms = provenConnectMs(host.regions, region);
    if (ms > bestMs || ms === Infinity) continue;
    host.homeRegion = region;
    bestMs = ms;
  }
}

/** The connect time that another region must reach to become the home; negative = none can. */
function betterMs(host: Placed): number {
  const known = factsOf(host.regions, host.homeRegion)?.connectTimesMs.length ?? 0;
  if (known > 0 && known < HOME_TIMES) return -1;
  const homeMs = connectMsOf(host.regions, host.homeRegion);
  return Math.min(homeMs * BETTER_BY, homeMs - BETTER_BY_MS);
}

/** Mostly home. */
function visit(host: Placed, open: readonly string[], view: PlacementView): void {
  const others = open.filter((region) => region !== host.homeRegion);
  if (others.length === open.length) {
    // The home is silent, or suspected: whichever is nearest stands in for it.
    host.nextRegion = nearestOf(host, others);
    return;
  }
  const probed = probeOf(host, others, view);
  host.isProbe = probed !== "";
  if (host.isProbe) host.nextRegion = probed;
  else goHome(host, open);
}

/** Where every region is about as near, no time is lost by waiting for one. */
function goHome(host: Placed, open: readonly string[]): void {
  const times = open.map((region) => connectMsOf(host.regions, region));
  const isEqual = open.length > 1 && Math.max(...times) < Math.min(...times) + BETTER_BY_MS;
  host.nextRegion = isEqual ? "" : host.homeRegion;
}

/** The region to look at instead of going home; "" = none. */
function probeOf(host: Placed, others: readonly string[], { random, probeShare }: PlacementView): string {
  if (others.length === 0) return "";
  const better = betterMs(host);
  // Better once: whether it was luck is found out at once.
  const promising = others.find((region) => {
    const ms = lastConnectMs(host.regions, region);
    return ms < Infinity && ms <= better;
  });
  if (promising !== undefined) return promising;
  if (random.next() >= probeShare) return "";
  const untried = others.filter((region) => isUntried(host, region));
  return drawn(untried.length > 0 ? untried : others, random);
}

function isUntried(host: Placed, region: string): boolean {
  const facts = factsOf(host.regions, region);
  return facts === undefined || (facts.connectTimesMs.length === 0 && facts.tries < TRIES);
}

/** "" when no connect time is known of any. */
function nearestOf(host: Placed, regions: readonly string[]): string {
  let nearest = "";
  let leastMs = Infinity;
  for (const region of regions) {
    const ms = connectMsOf(host.regions, region);
    if (ms >= leastMs) continue;
    nearest = region;
    leastMs = ms;
  }
  return nearest;
}

function drawn(regions: readonly string[], random: Pick<Random, "next">): string {
  return regions[Math.floor(random.next() * regions.length)] ?? "";
}

/** True when the region must not be given the host, though it is there for all: it is refused, and another isn't. */
export function isShutOut(host: Placed, region: string, { live, now }: Pick<PlacementView, "live" | "now">): boolean {
  if (!isGeoBlocked(host.regions, region, now)) return false;
  return live.some((other) => other !== region && !isSuspect(host.regions, other, now));
}
