/**
 * What a fuzz target is given and what it tells. Invariant: a target answers any input; what it throws is a bug.
 */

import type { RawDoor, TypedDoor } from "../../core-wasm/instance.ts";
import type { Core } from "../../core-wasm/mod.ts";
import type { Chance } from "./chance.ts";
import type { Digest } from "./digest.ts";
import type { Seeds } from "./inputs.ts";

/** The core below its public face; guards of every instance that was handed out are checked in a debug build. */
export interface Doors {
  readonly typed: TypedDoor;
  /** That of an instance of its own: it holds no filter yet. */
  freshTyped(): TypedDoor;
  /** An instance of its own. */
  fresh(): RawDoor;
}

export interface FuzzParts {
  readonly core: Core;
  readonly doors: Doors;
  readonly chance: Chance;
  readonly seeds: Seeds;
  readonly digest: Digest;
}

/** One call with new inputs. */
export interface Done {
  readonly inputs: number;
  readonly bytes: number;
}

export type Target = (parts: FuzzParts) => () => Done;
