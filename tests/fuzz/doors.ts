/**
 * Instances of one build of the core for fuzzing, and whether anything was written beside their buffers.
 * Invariant: the guards of each instance are checked once more before it is let go.
 */

import { CoreSlot, type RawDoor } from "../../core-wasm/instance.ts";
import type { Artefact } from "../../core-wasm/load.ts";
import { type Core, coreOf } from "../../core-wasm/mod.ts";
import type { Doors } from "./target.ts";

/** Instances that are watched at once. */
const WATCHED = 64;

export interface FuzzCore {
  readonly core: Core;
  readonly doors: Doors;
  /** Throws when anything was written beside a buffer; tells nothing of a build without asserts. */
  checkGuards(): void;
}

function checkGuardsOf(raw: RawDoor): void {
  const broken = raw.raw_guards();
  if (broken !== 0) {
    throw new Error(`Checking the core's buffers found ${broken} that were written beside; 0 was wanted.`);
  }
}

/** The core and its doors by one build. `collect` is given each instance before it is let go, and all others at each check. */
export function fuzzCoreOf(artefact: Artefact, collect: (raw: RawDoor) => void = () => {}): FuzzCore {
  const watched: RawDoor[] = [];
  const check = (raw: RawDoor) => {
    checkGuardsOf(raw);
    collect(raw);
  };
  const watch = (raw: RawDoor) => {
    watched.push(raw);
    if (watched.length > WATCHED) check(watched.shift()!);
  };
  const { module } = artefact;
  const instantiate: Artefact["instantiate"] = (getModule, imports, make) =>
    artefact.instantiate(getModule, imports, (own, ownImports) => {
      const instance = make(own, ownImports);
      watch(instance.exports as unknown as RawDoor);
      return instance;
    });
  const slot = new CoreSlot(module, instantiate);
  return {
    core: coreOf({ ...artefact, instantiate }),
    doors: {
      get typed() {
        return slot.run(({ typed }) => typed);
      },
      freshTyped: () => new CoreSlot(module, instantiate).run(({ typed }) => typed),
      fresh() {
        const raw = slot.fresh();
        watch(raw);
        return raw;
      },
    },
    checkGuards: () => watched.forEach(check),
  };
}
