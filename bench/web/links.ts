/**
 * The outlinks of every page.
 * Invariant: a function of the page's number alone; heads link to their block and to the next heads, so that the
 * links which a crawler must follow reach every page from host 0's home.
 */

import { chanceOf, hash32, TOPIC } from "./chance.ts";
import type { Chance } from "./chance.ts";
import { BLOCK, folderOf, pagesOf } from "./site.ts";
import type { LeafKind } from "./site.ts";
import type { World } from "./world.ts";
import { pagePath } from "./world.ts";

/** Where in the page a link stands. */
export type Place =
  /** A crawler must follow these. */
  | "a"
  | "area"
  | "iframe"
  | "refresh"
  /** These may be followed. */
  | "nofollow"
  | "noscript"
  | "template"
  | "image"
  | "stylesheet"
  /** These are no links. */
  | "comment"
  | "script"
  | "script_string"
  | "textarea"
  | "style"
  | "attribute";

export const MUST_FOLLOW: ReadonlySet<Place> = new Set<Place>(["a", "area", "iframe", "refresh"]);
export const NEVER_FOLLOW: ReadonlySet<Place> = new Set<Place>([
  "comment",
  "script",
  "script_string",
  "textarea",
  "style",
  "attribute",
]);
const MAY_FOLLOW: readonly Place[] = ["nofollow", "noscript", "template", "image", "stylesheet"];

export interface Link {
  readonly host: number;
  /** Canonical path and query. */
  readonly path: string;
  readonly place: Place;
  /** How it is written: 0 path, 1 relative, 2 absolute, 3 without scheme, 4 and up: an odd spelling, -1 raw bytes. */
  readonly style: number;
}

export const ODD_STYLE = 4;
/** The query's non-ASCII character is written in the page's own charset. */
export const RAW_STYLE = -1;

/** Charset of a charset page, and the bytes of one character in it. */
export function charsetOf(world: World, host: number, local: number): { name: string; bytes: string } {
  const even = hash32(world.config.seed, TOPIC.coding, host, local) % 2 === 0;
  return even ? { name: "windows-1252", bytes: "\xe9" } : { name: "gb2312", bytes: "\xba\xe9" };
}

/** Where a charset page's raw link leads: WHATWG URL encodes a query in the page's charset. */
export function findPath(world: World, host: number, local: number): string {
  const { bytes } = charsetOf(world, host, local);
  return `/find/${local}?q=${[...bytes].map((c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`).join("")}`;
}

/** Hosts with traps: one in eight. */
export function hasTraps(world: World, host: number): boolean {
  if (!world.has("traps")) return false;
  return world.config.hosts === 1 || host % 8 === 1;
}

/** The links of a page that has links. A nofollow page keeps to heads and to what may be skipped. */
export function linksOf(world: World, host: number, local: number, kind: LeafKind | "head" = "head"): Link[] {
  const chance = chanceOf(world.config.seed, TOPIC.links, host, local);
  const links: Link[] = [];
  const add = (to: number, path: string, place: Place = "a", style = styleOf(chance, to !== host)) =>
    links.push({ host: to, path, place, style });
  navigation(world, host, local, add);
  if (kind === "nofollow") {
    for (let i = 0; i < 5; i++) add(host, `/maybe/nofollow-${local}-${i}`);
    return links;
  }
  if (kind === "charset") add(host, findPath(world, host, local), "a", RAW_STYLE);
  if (local % BLOCK === 0) headLinks(world, host, local, add);
  if (local === 0) homeLinks(world, host, add);
  if (world.has("hidden")) hiddenLinks(host, local, chance, add);
  fill(world, host, chance, links);
  return links;
}

type Add = (to: number, path: string, place?: Place, style?: number) => void;

function styleOf(chance: Chance, crossHost: boolean): number {
  const draw = chance.below(10);
  if (crossHost) return draw < 9 ? 2 : 3;
  return draw < 6 ? 0 : draw < 9 ? 1 : 2;
}

function navigation(world: World, host: number, local: number, add: Add): void {
  add(host, "/");
  const blocks = Math.ceil(pagesOf(world.config, host) / BLOCK);
  for (let block = 1; block < Math.min(blocks, 8); block++) add(host, folderOf(world.config, host, block));
  if (local % BLOCK !== 0) add(host, folderOf(world.config, host, Math.floor(local / BLOCK)));
}

function headLinks(world: World, host: number, local: number, add: Add): void {
  const pages = pagesOf(world.config, host);
  for (let leaf = local + 1; leaf < Math.min(local + BLOCK, pages); leaf++) {
    const place = world.has("directives") && leaf % 16 === 9 ? (leaf % 32 === 9 ? "area" : "iframe") : "a";
    add(host, pagePath(world, host, leaf), place);
  }
  const block = local / BLOCK;
  for (const next of [2 * block + 1, 2 * block + 2]) {
    if (next * BLOCK < pages) add(host, folderOf(world.config, host, next));
  }
}

function homeLinks(world: World, host: number, add: Add): void {
  for (const next of [2 * host + 1, 2 * host + 2]) if (next < world.config.hosts) add(next, "/");
  if (hasTraps(world, host)) {
    add(host, "/calendar/1970/1");
    add(host, "/shop?sid=0");
    add(host, "/grow/");
    add(host, "/day/1970-01-01");
    add(host, "/facets?f0001=1");
  }
}

function hiddenLinks(host: number, local: number, chance: Chance, add: Add): void {
  const places = [...NEVER_FOLLOW];
  for (let i = 0; i < 2; i++) {
    const place = places[(local + chance.below(places.length)) % places.length]!;
    add(host, `/ghost/${place}-${local}`, place, 2);
  }
  if (chance.percent(30)) {
    const place = chance.pick(MAY_FOLLOW);
    add(host, `/maybe/${place}-${local}`, place, 0);
  }
}

/** Paths that rules with `$` end at: a spelling with a query is another matter for those, so they are written plainly. */
const ANCHORED = /\.cgi$|^\/private\/open\//;

/** Links to pages anywhere: four in five on the same host. */
function fill(world: World, host: number, chance: Chance, links: Link[]): void {
  const { config } = world;
  const wanted = Math.max(0, config.links + chance.below(11) - 5);
  while (links.length < wanted) {
    const to = config.hosts === 1 || chance.percent(80) ? host : chance.below(config.hosts);
    const path = pagePath(world, to, chance.below(pagesOf(config, to)));
    const odd = world.has("spellings") && chance.percent(15) && !ANCHORED.test(path);
    links.push({
      host: to,
      path,
      place: "a",
      style: odd ? ODD_STYLE + chance.below(1 << 16) : styleOf(chance, to !== host),
    });
  }
}
