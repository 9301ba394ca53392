/**
 * Does a rule's pattern match a path (RFC 9309 2.2.3)? `*` stands for any characters, a last `$` for the path's end;
 * otherwise a pattern matches as a prefix.
 * Invariant: linear in path and pattern, whatever they hold: each part between wildcards is looked for once, leftmost,
 * which is right because `*` takes anything in between.
 */

import { findIn } from "./find.ts";

/** Both in the spelling of encoding.ts. */
export function patternMatches(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith("$");
  if (!anchored && !pattern.includes("*")) return path.startsWith(pattern);
  const parts = (anchored ? pattern.slice(0, -1) : pattern).split("*");
  const first = parts[0]!;
  if (!path.startsWith(first)) return false;
  if (parts.length === 1) return !anchored || path.length === first.length;
  let at = first.length;
  const last = anchored ? parts.length - 1 : parts.length;
  for (let i = 1; i < last; i++) {
    const found = findIn(path, parts[i]!, at);
    if (found < 0) return false;
    at = found + parts[i]!.length;
  }
  if (!anchored) return true;
  const tail = parts[last]!;
  return path.length - tail.length >= at && path.endsWith(tail);
}
