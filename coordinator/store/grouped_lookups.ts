/**
 * Looks many callers' URLs up at once: while one question is under way, those that come wait, and go together as the next.
 * A question costs ten times what one more key in it does.
 * Invariant: each caller gets the answers to its own keys, in their order, read after it asked.
 */

import type { Listings } from "../page_ports.ts";
import type { UrlKey, UrlRow } from "../ports.ts";

type LookUp = Listings["lookUp"];

interface Waiting {
  readonly keys: readonly UrlKey[];
  readonly resolve: (rows: (UrlRow | undefined)[]) => void;
  readonly reject: (error: unknown) => void;
}

export function groupedLookUps(ask: LookUp): LookUp {
  let waiting: Waiting[] = [];
  let isAsking = false;
  const work = async () => {
    isAsking = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      await answer(ask, group);
    }
    isAsking = false;
  };
  return (keys) =>
    new Promise((resolve, reject) => {
      waiting.push({ keys, resolve, reject });
      if (!isAsking) void work();
    });
}

async function answer(ask: LookUp, group: readonly Waiting[]): Promise<void> {
  try {
    const rows = await ask(group.flatMap(({ keys }) => keys));
    let from = 0;
    for (const { keys, resolve } of group) resolve(rows.slice(from, from += keys.length));
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}
