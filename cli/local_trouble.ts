/**
 * Trouble of this machine (a full disk, a database that can't be written): leasing pauses and it is told once; when it
 * stays, the run ends and says why.
 * Invariant: pure but for its clock; one bad moment ends nothing, trouble that lasts always does.
 */

import type { FrontierVerbs } from "../protocol/mod.ts";
import { troubleCode } from "../runtime/file_errors.ts";
import type { Clock } from "../runtime/ports.ts";

/** Trouble that comes this often, over at least this long, stays. */
const TIMES = 3;
const LASTING_MS = 2_000;
/** After this long without any, it begins anew. */
const CALM_MS = 60_000;

export interface TroubleParts {
  readonly clock: Clock;
  readonly say: (sentence: string) => void;
  /** Called once, with the newest sentence. */
  readonly giveUp: (sentence: string) => void;
}

/** To be told of each trouble. */
export function countTroubles({ clock, say, giveUp }: TroubleParts): (sentence: string) => void {
  let times = 0;
  let firstAt = 0;
  let lastAt = -Infinity;
  let gaveUp = false;
  const told = new Set<string>();
  return (sentence) => {
    const now = clock.monotonicMs();
    if (now - lastAt > CALM_MS) {
      times = 0;
      firstAt = now;
      told.clear();
    }
    lastAt = now;
    times++;
    if (gaveUp) return;
    if (!told.has(sentence) && told.size < TIMES) say(sentence);
    told.add(sentence);
    gaveUp = times >= TIMES && now - firstAt >= LASTING_MS;
    if (gaveUp) giveUp(sentence);
  };
}

/** The frontier, telling each failure that is this machine's; the caller gets it all the same. */
export function tellingTrouble(frontier: FrontierVerbs, tell: (sentence: string) => void): FrontierVerbs {
  return new Proxy(frontier, {
    get(target, name) {
      const verb = Reflect.get(target, name);
      if (typeof verb !== "function") return verb;
      return async (...args: unknown[]) => {
        try {
          return await verb.apply(target, args);
        } catch (error) {
          if (troubleCode(error) !== undefined) tell((error as Error).message);
          throw error;
        }
      };
    },
  });
}
