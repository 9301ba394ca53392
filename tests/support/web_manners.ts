/**
 * Judges of manners, over the synthetic web's request log: robots.txt first and obeyed, gaps and parallel requests.
 * Invariant: pure. Times are the server's: a request starts when its head has arrived and ends when the answer was
 * handed over, so that a violation here is one that happened.
 */

import type { GroundTruth, RequestEntry } from "../../bench/web/mod.ts";
import type { Violation } from "./web_checks.ts";

const isRobots = (entry: RequestEntry) => entry.kind === "robots" || entry.kind === "robots_hop";

/** A verdict on robots.txt: anything but a redirect, 429, 5xx, or no answer (RFC 9309 2.3.1). */
const settles = (entry: RequestEntry) =>
  entry.status >= 200 && entry.status < 500 && entry.status !== 429 && Math.floor(entry.status / 100) !== 3;

/** When each host's rules were known, server ms; absent = never. */
function rulesKnownAt(entries: readonly RequestEntry[], truth: GroundTruth): Map<number, number> {
  const known = new Map<number, number>();
  const hosts = truth.world.config.hosts;
  /** Hosts whose robots.txt sent the crawler to another host's, by that host. */
  const waiting = new Map<number, number[]>();
  for (const entry of entries.filter((entry) => isRobots(entry) && entry.endMs >= 0)) {
    const { host, endMs } = entry;
    if (entry.kind === "robots_hop") {
      for (const origin of waiting.get(host) ?? []) if (!known.has(origin)) known.set(origin, endMs);
    } else if (settles(entry)) {
      if (!known.has(host)) known.set(host, endMs);
    } else if (Math.floor(entry.status / 100) === 3) {
      const other = (host + 1) % hosts;
      waiting.set(other, [...(waiting.get(other) ?? []), host]);
    }
  }
  return known;
}

/** robots.txt before all else, and obeyed; an origin whose robots.txt fails is left alone. */
export function checkRobots(entries: readonly RequestEntry[], truth: GroundTruth): Violation[] {
  const violations: Violation[] = [];
  const known = rulesKnownAt(entries, truth);
  for (const entry of entries) {
    if (entry.host < 0 || isRobots(entry)) continue;
    const url = truth.url(entry.host, entry.path);
    const robots = truth.world.robotsOf(entry.host);
    const add = (detail: string) => violations.push({ rule: "robots", url, detail });
    if (robots.blocked) add(`robots.txt is ${robots.name}; nothing else may be asked of this host.`);
    else if (!robots.allows(entry.path)) add(`${entry.target} was asked for; robots.txt (${robots.name}) forbids it.`);
    else if (!(known.get(entry.host)! <= entry.startMs)) {
      add(`Asked at ${entry.startMs.toFixed(1)} ms; robots.txt must be answered first.`);
    }
  }
  return violations;
}

export interface PaceOptions {
  /** Smallest gap between two starts, ms; or one for each host number. */
  readonly delayMs: number | ((host: number) => number);
  /** Rounding of timers, ms. Default 2. */
  readonly toleranceMs?: number;
  /** What shares a clock. Default: the host. */
  readonly groupBy?: (entry: RequestEntry) => string | number;
}

function groups(entries: readonly RequestEntry[], key: (entry: RequestEntry) => string | number): RequestEntry[][] {
  const all = new Map<string | number, RequestEntry[]>();
  for (const entry of entries) {
    const name = key(entry);
    const group = all.get(name);
    if (group) group.push(entry);
    else all.set(name, [entry]);
  }
  return [...all.values()].map((group) => group.sort((a, b) => a.startMs - b.startMs));
}

/** Start to start, every request counted: pages, redirect hops, robots.txt, retries. */
export function checkGaps(entries: readonly RequestEntry[], options: PaceOptions): Violation[] {
  const { delayMs, toleranceMs = 2, groupBy = (entry) => entry.host } = options;
  const violations: Violation[] = [];
  for (const group of groups(entries, groupBy)) {
    for (let i = 1; i < group.length; i++) {
      const [before, entry] = [group[i - 1]!, group[i]!];
      const gap = entry.startMs - before.startMs;
      const wanted = typeof delayMs === "number" ? delayMs : delayMs(entry.host);
      if (gap >= wanted - toleranceMs) continue;
      const detail = `Started ${gap.toFixed(1)} ms after ${before.target}; ${wanted} ms are wanted.`;
      violations.push({ rule: "gap", url: `http://${entry.authority}${entry.target}`, detail });
    }
  }
  return violations;
}

/** Smallest gap between two starts on one host, ms; Infinity when no host was asked twice. */
export function smallestGap(entries: readonly RequestEntry[]): number {
  let smallest = Infinity;
  for (const group of groups(entries, (entry) => entry.host)) {
    for (let i = 1; i < group.length; i++) smallest = Math.min(smallest, group[i]!.startMs - group[i - 1]!.startMs);
  }
  return smallest;
}

export interface ParallelOptions {
  readonly maxParallel: number;
  readonly groupBy?: (entry: RequestEntry) => string | number;
}

/** Never more than `maxParallel` requests open at once. An answer that was never sent counts for no time. */
export function checkParallel(entries: readonly RequestEntry[], options: ParallelOptions): Violation[] {
  const { maxParallel, groupBy = (entry) => entry.host } = options;
  const violations: Violation[] = [];
  for (const group of groups(entries, groupBy)) {
    let open: RequestEntry[] = [];
    for (const entry of group) {
      open = open.filter((other) => other.endMs > entry.startMs);
      open.push(entry);
      if (open.length <= maxParallel) continue;
      const others = open.slice(0, -1).map((other) => other.target).join(", ");
      const detail = `Started while ${others} were open; ${maxParallel} at once are allowed.`;
      violations.push({ rule: "parallel", url: `http://${entry.authority}${entry.target}`, detail });
    }
  }
  return violations;
}
