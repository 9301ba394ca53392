/**
 * One synthetic web: its configuration with what is worked out from it once.
 * Invariant: immutable; the server, the renderer and the ground truth read the same world.
 */

import type { Feature, WebConfig } from "./config.ts";
import { originOf } from "./addresses.ts";
import { kindOf, pathOf, seatKinds } from "./site.ts";
import type { LeafKind } from "./site.ts";
import { robotsKindOf, robotsKinds } from "./robots.ts";
import type { RobotsKind } from "./robots.ts";
import { paragraphsOf } from "./words.ts";

export interface World {
  readonly config: WebConfig;
  readonly seats: readonly LeafKind[];
  readonly paragraphs: readonly string[];
  has(feature: Feature): boolean;
  robotsOf(host: number): RobotsKind;
  /** `http://host[:port]` in the form that links use. */
  origin(host: number): string;
}

export function createWorld(config: WebConfig): World {
  const features = new Set(config.features);
  const kinds = robotsKinds(config);
  const origins: string[] = [];
  return {
    config,
    seats: seatKinds(config),
    paragraphs: paragraphsOf(config.seed),
    has: (feature) => features.has(feature),
    robotsOf: (host) => robotsKindOf(config, kinds, host),
    origin: (host) => (origins[host] ??= originOf(host, config.hostForm, config.port)),
  };
}

export function pageKind(world: World, host: number, local: number): LeafKind | "head" {
  return kindOf(world.config, world.seats, host, local);
}

/** Canonical path (with query) of page `local` of `host`. */
export function pagePath(world: World, host: number, local: number): string {
  return pathOf(world.config, pageKind(world, host, local), host, local);
}
