/**
 * What lies at a canonical path of a host: the one account that the server and the ground truth both read.
 * Invariant: total - every path is a resource, if only a missing one.
 */

import { hash32, TOPIC } from "./chance.ts";
import { findPath, hasTraps } from "./links.ts";
import { BLOCK, folderOf, localOf, pagesOf } from "./site.ts";
import type { LeafKind } from "./site.ts";
import { pageKind, pagePath } from "./world.ts";
import type { World } from "./world.ts";

export type ResourceKind =
  | LeafKind
  | "head"
  | "robots"
  | "robots_hop"
  | "hop"
  | "private_extra"
  | "found"
  | "ghost"
  | "maybe"
  | "calendar"
  | "session"
  | "grow"
  | "days"
  | "facets"
  | "missing";

export interface Place {
  readonly host: number;
  readonly path: string;
}

export interface Resource extends Place {
  readonly kind: ResourceKind;
  /** The page's number on its host, where it is one. */
  readonly local?: number;
  /** The status that a patient crawler ends with. */
  readonly status: number;
  /** Where a redirect leads; absent when its Location leads nowhere. */
  readonly to?: Place;
  /** The Location header as it is sent. */
  readonly location?: string;
}

/** Redirects of an over-long chain: more than any crawler follows. */
export const LONG_CHAIN = 9;
const REDIRECT_STATUS = [301, 302, 303, 307, 308] as const;
const GONE_STATUS = [404, 410, 404, 403, 401] as const;
const BAD_LOCATIONS = [
  "file:///etc/passwd",
  "ftp://ftp.web.test/a",
  "data:text/html,<a href=/ghost/data>x</a>",
  "javascript:location='/ghost/script'",
  "http://",
  "http://[::1/",
  undefined,
] as const;

/** Kinds that answer 200 with a page of HTML that has links. */
export function isLinked(kind: ResourceKind): boolean {
  return LINKED.has(kind);
}
const LINKED = new Set<ResourceKind>([
  "head",
  "plain",
  "duplicate",
  "near_duplicate",
  "charset",
  "base",
  "refresh",
  "noindex",
  "nofollow",
  "big",
  "slow",
  "flaky",
  "redirect_same_key",
]);

export function isTrap(kind: ResourceKind): boolean {
  return TRAPS.has(kind);
}
const TRAPS = new Set<ResourceKind>(["calendar", "session", "grow", "days", "facets"]);

const draw = (world: World, host: number, local: number) => hash32(world.config.seed, TOPIC.kinds, host, local);

/** The resource at canonical path `path` of `host`. */
export function resourceAt(world: World, host: number, path: string): Resource {
  if (path === "/robots.txt") return { host, path, kind: "robots", status: 200 };
  return pageAt(world, host, path) ?? specialAt(world, host, path) ?? { host, path, kind: "missing", status: 404 };
}

function pageAt(world: World, host: number, path: string): Resource | undefined {
  const local = localOf(path);
  if (local === undefined || local >= pagesOf(world.config, host) || pagePath(world, host, local) !== path) {
    return undefined;
  }
  const kind = pageKind(world, host, local);
  const page = { host, path, kind, local, status: 200 };
  const chance = draw(world, host, local);
  switch (kind) {
    case "gone":
      return { ...page, status: GONE_STATUS[chance % GONE_STATUS.length]! };
    case "failing":
      return { ...page, status: 500 };
    case "redirect":
    case "redirect_long":
    case "redirect_loop":
      return chainLink(world, page, local, 0);
    case "redirect_bad":
      return { ...page, status: 302, location: BAD_LOCATIONS[chance % BAD_LOCATIONS.length] };
    case "redirect_disallowed":
      return redirect(world, page, { host: (host + 2) % world.config.hosts, path: `/private/r${local}` }, FOUND);
    default:
      return page;
  }
}

/** How a redirect is answered; `style` picks an absolute, rooted or scheme-less Location where the host stays. */
interface Answer {
  readonly status: number;
  readonly style: number;
}

const FOUND: Answer = { status: 302, style: 0 };

function redirect(world: World, from: Omit<Resource, "status">, to: Place, { status, style }: Answer): Resource {
  const absolute = from.host !== to.host || style % 3 === 0;
  const origin = world.origin(to.host);
  const location = absolute ? origin + to.path : style % 3 === 1 ? to.path : origin.slice(5) + to.path;
  return { ...from, status, to, location };
}

/** How many redirects a chain has before it ends at a head; a loop has no end. */
function chainLength(world: World, host: number, local: number): number {
  const kind = pageKind(world, host, local);
  if (kind === "redirect_long") return LONG_CHAIN;
  if (kind === "redirect_loop") return Infinity;
  return kind === "redirect" ? 1 + (draw(world, host, local) % 4) : 0;
}

/** Redirect number `step` (0 = the page itself) of the chain that begins at page `local`. */
function chainLink(world: World, at: Omit<Resource, "status">, local: number, step: number): Resource {
  const { host } = at;
  const chance = draw(world, host, local);
  const length = chainLength(world, host, local);
  const answer = { status: REDIRECT_STATUS[(chance + step) % REDIRECT_STATUS.length]!, style: chance + step };
  if (step + 1 < length) {
    const back = length === Infinity && step === 1;
    const path = back ? pagePath(world, host, local) : `/hop/${local}/${step + 1}`;
    return redirect(world, at, { host, path }, answer);
  }
  const to = chance % 3 === 0 ? (host + 1 + (chance >>> 8) % world.config.hosts) % world.config.hosts : host;
  const blocks = Math.ceil(pagesOf(world.config, to) / BLOCK);
  return redirect(world, at, { host: to, path: folderOf(world.config, to, (chance >>> 4) % blocks) }, answer);
}

function specialAt(world: World, host: number, path: string): Resource | undefined {
  const at = { host, path };
  const [, first, second, third] = path.split("/");
  switch (first) {
    case "hop":
      return hopAt(world, at, Number(second), Number(third));
    case "private":
      return world.has("redirects") && /^r\d+$/.test(second ?? "")
        ? { ...at, kind: "private_extra", status: 200 }
        : undefined;
    case "find":
      return foundAt(world, at, parseInt(second ?? "", 10));
    case "assets":
      return { ...at, kind: "maybe", status: 404 };
    case "ghost":
    case "maybe":
      return { ...at, kind: first, status: 200 };
    case "shared":
    case "loop":
      return robotsHop(world, at, first);
    default:
      return hasTraps(world, host) ? trapAt(world, at, first ?? "") : undefined;
  }
}

function foundAt(world: World, at: Place, local: number): Resource | undefined {
  if (!(local > 0) || local >= pagesOf(world.config, at.host)) return undefined;
  if (pageKind(world, at.host, local) !== "charset" || findPath(world, at.host, local) !== at.path) return undefined;
  return { ...at, kind: "found", status: 200 };
}

function hopAt(world: World, at: Place, local: number, step: number): Resource | undefined {
  const { host } = at;
  if (!(local > 0) || local >= pagesOf(world.config, host) || !(step > 0)) return undefined;
  const length = chainLength(world, host, local);
  if (step >= length || (length === Infinity && step > 1)) return undefined;
  return chainLink(world, { ...at, kind: "hop" }, local, step);
}

function robotsHop(world: World, at: Place, folder: string): Resource | undefined {
  if (at.path !== `/${folder}/robots.txt`) return undefined;
  if (folder === "shared") return { ...at, kind: "robots_hop", status: 200 };
  return redirect(world, { ...at, kind: "robots_hop" }, at, FOUND);
}

/** By the first segment of the path, what follows a ? left out. */
const TRAP_KINDS: Readonly<Record<string, ResourceKind>> = {
  calendar: "calendar",
  day: "days",
  shop: "session",
  grow: "grow",
  facets: "facets",
};

function trapAt(world: World, at: Place, first: string): Resource | undefined {
  const kind = TRAP_KINDS[first.split("?", 1)[0]!];
  if (!kind) return undefined;
  const { step } = trapNext(at.path);
  return Number.isFinite(step) ? { ...at, kind, status: step <= world.config.trapPages ? 200 : 404 } : undefined;
}

const two = (value: number) => String(value).padStart(2, "0");

/** The step of a trap's page, and the path that it links to. */
export function trapNext(path: string): { step: number; path: string } {
  const month = /^\/calendar\/(\d{1,6})\/(\d{1,2})$/.exec(path);
  if (month) {
    const step = (Number(month[1]) - 1970) * 12 + Number(month[2]);
    return { step, path: `/calendar/${1970 + Math.floor(step / 12)}/${(step % 12) + 1}` };
  }
  // Months of 28 days.
  const day = /^\/day\/(\d{4,6})-(\d\d)-(\d\d)$/.exec(path);
  if (day) {
    const step = ((Number(day[1]) - 1970) * 12 + Number(day[2]) - 1) * 28 + Number(day[3]);
    const months = Math.floor(step / 28);
    return { step, path: `/day/${1970 + Math.floor(months / 12)}-${two((months % 12) + 1)}-${two((step % 28) + 1)}` };
  }
  const session = /^\/shop\?sid=([0-9a-f]+)$/.exec(path);
  if (session) {
    const step = parseInt(session[1]!, 16);
    return { step, path: `/shop?sid=${(step + 1).toString(16)}` };
  }
  const facets = /^\/facets\?f0001=1(?:&f\d{4}=1)*$/.exec(path);
  if (facets) {
    const step = path.split("&").length;
    return { step, path: `${path}&f${String(step + 1).padStart(4, "0")}=1` };
  }
  const grow = /^\/(?:grow\/)+$/.test(path);
  return { step: grow ? path.split("/").length - 2 : Infinity, path: `${path}grow/` };
}
