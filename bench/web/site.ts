/**
 * The plan of one host: which pages it has, of what kind, at which path.
 * Invariant: `pathOf` and `localOf` are inverse; every block of 32 pages has a head that is always an ordinary page,
 * so that every page can be reached whatever its neighbours are.
 */

import { chanceOf, hash32, TOPIC } from "./chance.ts";
import type { Feature, WebConfig } from "./config.ts";
import { WORDS } from "./words.ts";

export type LeafKind =
  | "plain"
  | "redirect"
  | "redirect_long"
  | "redirect_loop"
  | "redirect_bad"
  | "redirect_disallowed"
  | "redirect_same_key"
  | "gone"
  | "failing"
  | "flaky"
  | "duplicate"
  | "near_duplicate"
  | "file"
  | "charset"
  | "base"
  | "refresh"
  | "nofollow"
  | "noindex"
  | "empty"
  | "big"
  | "broken_gzip"
  | "slow";

export const BLOCK = 32;

/** Seats of each kind among `SEATS` neighbouring leaves. Prime, so that kinds don't fall in step with hosts. */
const SEATS = 211;
const SHARES: readonly (readonly [LeafKind, Feature, number])[] = [
  ["redirect", "redirects", 8],
  ["redirect_long", "redirects", 1],
  ["redirect_loop", "redirects", 1],
  ["redirect_bad", "redirects", 1],
  ["redirect_disallowed", "redirects", 1],
  ["redirect_same_key", "redirects", 1],
  ["duplicate", "duplicates", 8],
  ["near_duplicate", "duplicates", 8],
  ["file", "files", 8],
  ["charset", "charsets", 4],
  ["base", "directives", 3],
  ["refresh", "directives", 2],
  ["nofollow", "directives", 2],
  ["noindex", "directives", 2],
  ["empty", "oddities", 1],
  ["big", "oddities", 1],
  ["broken_gzip", "oddities", 1],
  ["slow", "slow", 3],
];

/** The seating plan of this web's leaves: a kind for each seat, in an order that the seed decides. */
export function seatKinds(config: WebConfig): readonly LeafKind[] {
  const has = (feature: Feature) => config.features.includes(feature);
  const seats: LeafKind[] = [];
  for (const [kind, feature, count] of SHARES) if (has(feature)) seats.push(...Array(count).fill(kind));
  const faults = Math.round((SEATS * config.faultPercent) / 100);
  for (let i = 0; i < faults; i++) {
    const failing = has("failures") && (!has("errors") || i % 3 === 0);
    if (failing) seats.push(i % 2 === 0 ? "failing" : "flaky");
    else if (has("errors")) seats.push("gone");
  }
  while (seats.length < SEATS) seats.push("plain");
  const chance = chanceOf(config.seed, TOPIC.kinds);
  for (let i = seats.length - 1; i > 0; i--) {
    const j = chance.below(i + 1);
    [seats[i], seats[j]] = [seats[j]!, seats[i]!];
  }
  return seats;
}

/** Pages of a host: page n of the web is page floor(n / hosts) of host n % hosts. */
export function pagesOf(config: WebConfig, host: number): number {
  return Math.floor((config.pages - host + config.hosts - 1) / config.hosts);
}

export function kindOf(config: WebConfig, seats: readonly LeafKind[], host: number, local: number): LeafKind | "head" {
  if (local % BLOCK === 0) return "head";
  return seats[(local * config.hosts + host + local) % seats.length]!;
}

/** The folder of a block: "/" for the first. */
export function folderOf(config: WebConfig, host: number, block: number): string {
  if (block === 0) return "/";
  return `/${WORDS[hash32(config.seed, TOPIC.words, host, block) % WORDS.length]}-${block}/`;
}

export const FILE_ENDINGS = ["pdf", "png", "json", "txt"] as const;

/** The canonical path (with query) of a page. */
export function pathOf(config: WebConfig, kind: LeafKind | "head", host: number, local: number): string {
  const folder = folderOf(config, host, Math.floor(local / BLOCK));
  const draw = hash32(config.seed, TOPIC.path, host, local) % 100;
  switch (kind) {
    case "head":
      return folder;
    case "file":
      return `${folder}file${local}.${FILE_ENDINGS[draw % FILE_ENDINGS.length]}`;
    case "plain":
      return plainPath(config, folder, draw, local);
    case "redirect_same_key":
      return `${folder}item?cat=${draw % 7}&id=${local}`;
    default:
      return `${folder}p${local}.html`;
  }
}

function plainPath(config: WebConfig, folder: string, draw: number, local: number): string {
  if (config.features.includes("robots")) {
    if (draw < 4) return `/private/p${local}.html`;
    if (draw < 6) return `/private/open/p${local}.html`;
    if (draw < 10) return `${folder}q${local}.cgi`;
  }
  if (!config.features.includes("spellings")) return `${folder}p${local}.html`;
  if (draw < 20) return `${folder}item?cat=${draw % 7}&id=${local}`;
  if (draw < 25) return `${folder}caf%C3%A9-${local}`;
  if (draw < 30) return `${folder}~u${local}/`;
  if (draw < 34) return `${folder}a+b-${local}.php?variable`;
  return `${folder}p${local}.html`;
}

const HEAD = /^\/[a-z]+-(\d+)\/$/;
const LEAF = /(?:\/p|\/file|\/q|\/caf%C3%A9-|\/~u|\/a\+b-|[?&]id=)(\d+)/;

/** A candidate for the page at a canonical path: the caller checks that `pathOf` gives the path back. */
export function localOf(path: string): number | undefined {
  if (path === "/") return 0;
  const head = HEAD.exec(path);
  if (head) return Number(head[1]) * BLOCK;
  const leaf = LEAF.exec(path);
  return leaf ? Number(leaf[1]) : undefined;
}
