/**
 * Trouble of this machine while a crawl runs: it is told, waited out, and where that takes too long the run ends and says
 * why; the same command goes on.
 * Invariant: pure but for its clock; one bad moment ends nothing. A full disk ends the run when it lasts, for somebody has
 * to make room; a network that has worked is waited for, however long.
 */

import type { LocalTrouble } from "../edge/health/health.ts";
import type { FrontierVerbs } from "../protocol/mod.ts";
import { troubleCode } from "../runtime/file_errors.ts";
import type { Clock } from "../runtime/ports.ts";

/** Trouble with the machine that comes less often than this ends no run. */
const TIMES = 3;
/** How long it may last, where nothing else is said. */
export const DISK_PATIENCE_MS = 60_000;
/** After this long without any, it begins anew. */
const CALM_MS = 60_000;
/** A network that hasn't worked in this run may be missing for good. */
const NEVER_WORKED_MS = 120_000;

export interface TroubleParts {
  readonly clock: Clock;
  /** Trouble with the machine that lasts longer ends the run. */
  readonly diskPatienceMs: number;
  readonly say: (sentence: string) => void;
  /** Called once, with the newest sentence. */
  readonly giveUp: (sentence: string) => void;
}

export interface Troubles {
  /** A file or a database couldn't be written. */
  ofMachine(sentence: string): void;
  /** What the edge found, and found again. */
  ofEdge(trouble: LocalTrouble): void;
}

export function countTroubles({ clock, diskPatienceMs, say, giveUp }: TroubleParts): Troubles {
  let times = 0;
  let firstAt = 0;
  let lastAt = -Infinity;
  let gaveUp = false;
  const told = new Set<string>();
  const tell = (sentence: string) => {
    if (!told.has(sentence) && told.size < TIMES) say(sentence);
    told.add(sentence);
  };
  const end = (sentence: string) => {
    if (!gaveUp) giveUp(sentence);
    gaveUp = true;
  };
  const ofMachine = (sentence: string) => {
    const now = clock.monotonicMs();
    if (now - lastAt > CALM_MS) {
      times = 0;
      firstAt = now;
      told.clear();
    }
    lastAt = now;
    times++;
    if (gaveUp) return;
    tell(sentence);
    if (times >= TIMES && now - firstAt >= diskPatienceMs) end(sentence);
  };
  return {
    ofMachine,
    ofEdge: ({ part, sentence, forMs, hasWorked }) => {
      if (part === "machine") return ofMachine(sentence);
      if (gaveUp) return;
      if (forMs === 0) say(`Waiting: ${sentence}`);
      if (!hasWorked && forMs >= NEVER_WORKED_MS) end(sentence);
    },
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
