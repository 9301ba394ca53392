/**
 * Cuts a completion into requests that a coordinator takes.
 * Invariant: every outcome is in exactly one part, in order; only the last part may end the lease.
 */

import { type Completion, LIMITS } from "../../protocol/mod.ts";

/** UTF-16 units of one part's outcomes; each is at most 3 bytes of UTF-8, so a part stays below apiBodyBytes. */
const PART_CHARS = LIMITS.apiBodyBytes / 4;

/** JSON texts to be sent one after the other. A single outcome is never cut. */
export function completionParts(completion: Completion): string[] {
  const { outcomes, done, ...head } = completion;
  const parts: string[][] = [[]];
  let chars = 0;
  for (const outcome of outcomes) {
    const text = JSON.stringify(outcome);
    const part = parts.at(-1)!;
    const isFull = chars + text.length > PART_CHARS || part.length >= LIMITS.outcomesPerCompletion;
    if (isFull && part.length > 0) {
      parts.push([text]);
      chars = text.length;
    } else {
      part.push(text);
      chars += text.length;
    }
  }
  const headText = JSON.stringify(head).slice(0, -1);
  return parts.map((part, index) =>
    `${headText},"done":${done && index === parts.length - 1},"outcomes":[${part.join(",")}]}`
  );
}
