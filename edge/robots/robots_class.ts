/**
 * What the answer to a robots.txt request means for its origin (RFC 9309 2.3.1).
 * Invariant: only a 2xx gives rules and only a 4xx gives leave; whatever is in doubt forbids for now.
 */

import type { RobotsClass } from "../../protocol/outcomes.ts";

/**
 * The class of a final status; undefined = no answer (network failure, refused address, redirect that isn't followed).
 * 2xx: rules. 4xx: there are none, so all is allowed (2.3.1.3), but for 429, which says "not now". 5xx: all is
 * disallowed (2.3.1.4). 1xx and 3xx aren't final: a redirect that loops, has no usable target or is the sixth in a row
 * leaves the question open, so it counts as unreachable too, where RFC 9309 2.3.1.2 would let us assume anything.
 */
export function robotsClass(status: number | undefined): RobotsClass {
  if (status === undefined) return "unreachable";
  if (status >= 200 && status <= 299) return "rules";
  if (status >= 400 && status <= 499 && status !== 429) return "allow_all";
  return "unreachable";
}
