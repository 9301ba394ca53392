/**
 * What a crawler should find: a walk over the same plan that the server answers from, without any HTTP.
 * Rules: links that must be followed are followed, robots.txt is honoured, every host of this web is in scope, a
 * redirect keeps its depth and is followed `redirectHops` times, traps may be followed or not.
 * Invariant: every page that the server can answer 200 with is in one class at most.
 */

import { hostNumber } from "./addresses.ts";
import { webConfig } from "./config.ts";
import type { WebConfig } from "./config.ts";
import { linksOf, MUST_FOLLOW } from "./links.ts";
import { isLinked, isTrap, resourceAt } from "./resources.ts";
import type { Place, Resource } from "./resources.ts";
import { createWorld, pagePath } from "./world.ts";
import type { World } from "./world.ts";
import { BLOCK } from "./site.ts";

export interface TruthOptions {
  /** Hosts whose home is a seed; absent: host 0. */
  readonly seedHosts?: readonly number[];
  /** Seeds have depth 0. */
  readonly maxDepth?: number;
  /** Redirects that are followed from one URL. Default 5. */
  readonly redirectHops?: number;
}

export interface GroundTruth {
  readonly world: World;
  /** Canonical URLs that answer 200 in the end and must be fetched. */
  readonly pages: ReadonlySet<string>;
  /** Canonical URLs that must be asked for and answer something else: redirects and errors. */
  readonly answers: ReadonlySet<string>;
  /** Canonical URLs that are linked but forbidden by robots.txt. */
  readonly disallowed: ReadonlySet<string>;
  /** Trap pages and others that may be fetched or not are not listed: `resource()` tells what they are. */
  resource(host: number, path: string): Resource;
  /** May this path be asked for? Of a host whose robots.txt never answers: nothing may. */
  allows(host: number, path: string): boolean;
  /** Origin + canonical path. */
  url(host: number, path: string): string;
  /** The deepest page of `pages`. */
  readonly deepest: number;
}

interface Visit extends Place {
  readonly depth: number;
  readonly hop: number;
}

/** The truth about `config` (its port is the one that URLs carry). */
export function groundTruth(config: Partial<WebConfig>, options: TruthOptions = {}): GroundTruth {
  return truthOf(createWorld(webConfig(config)), options);
}

export function truthOf(world: World, options: TruthOptions = {}): GroundTruth {
  const walk = new Walk(world, options);
  walk.run();
  return {
    world,
    pages: walk.pages,
    answers: walk.answers,
    disallowed: walk.disallowed,
    deepest: walk.deepest,
    resource: (host, path) => resourceAt(world, host, path),
    allows: (host, path) => world.robotsOf(host).allows(path),
    url: (host, path) => world.origin(host) + path,
  };
}

/** The canonical URL's host number and path. */
export function placeOf(url: string): Place | undefined {
  const parts = /^http:\/\/([^/]*)(\/.*)$/.exec(url);
  const host = parts ? hostNumber(parts[1]!) : undefined;
  return host === undefined ? undefined : { host, path: parts![2]! };
}

class Walk {
  readonly pages = new Set<string>();
  readonly answers = new Set<string>();
  readonly disallowed = new Set<string>();
  deepest = 0;
  readonly #world: World;
  readonly #options: TruthOptions;
  readonly #seen = new Set<string>();

  constructor(world: World, options: TruthOptions) {
    this.#world = world;
    this.#options = options;
  }

  /** Breadth first; a redirect's target comes before what waits, so that it keeps its depth. */
  run(): void {
    let level: Visit[] = (this.#options.seedHosts ?? [0]).map((host) => ({ host, path: "/", depth: 0, hop: 0 }));
    while (level.length > 0) {
      const next: Visit[] = [];
      for (let i = 0; i < level.length; i++) this.#visit(level[i]!, level, next);
      level = next;
    }
  }

  #visit(visit: Visit, level: Visit[], next: Visit[]): void {
    const { host, path, depth, hop } = visit;
    const url = this.#world.origin(host) + path;
    if (this.#seen.has(url)) return;
    this.#seen.add(url);
    const robots = this.#world.robotsOf(host);
    if (robots.open) return;
    if (!robots.allows(path)) return void this.disallowed.add(url);
    const resource = resourceAt(this.#world, host, path);
    if (isTrap(resource.kind) || resource.kind === "maybe") return;
    if (resource.status !== 200) {
      this.answers.add(url);
      const followed = resource.to && hop < (this.#options.redirectHops ?? 5);
      if (followed) level.push({ ...resource.to!, depth, hop: hop + 1 });
      return;
    }
    this.pages.add(url);
    this.deepest = Math.max(this.deepest, depth);
    if (!isLinked(resource.kind) || depth >= (this.#options.maxDepth ?? Infinity)) return;
    for (const link of this.#follow(resource)) next.push({ ...link, depth: depth + 1, hop: 0 });
  }

  #follow(page: Resource): Place[] {
    const local = page.local!;
    if (page.kind === "duplicate" || page.kind === "near_duplicate") {
      const original = local - (local % BLOCK);
      return this.#follow(resourceAt(this.#world, page.host, pagePath(this.#world, page.host, original)));
    }
    const kind = page.kind === "charset" || page.kind === "nofollow" ? page.kind : "head";
    return linksOf(this.#world, page.host, local, kind)
      .filter((link) => MUST_FOLLOW.has(link.place) && !this.#seen.has(this.#world.origin(link.host) + link.path));
  }
}
