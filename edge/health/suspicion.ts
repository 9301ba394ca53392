/**
 * Which failures may be this machine's own: no resolver answered, no connection stood, or a connection went silent.
 * Invariant: pure; what a server said, whatever it was, is never suspected, nor a name of which a resolver said that there
 * is none.
 */

import type { FailureClass } from "../../protocol/mod.ts";
import type { FetchFailure } from "../ports.ts";

/** The part of this machine that may be broken. */
export type Suspected = "resolver" | "link";

const BY_LINK: ReadonlySet<FailureClass> = new Set<FailureClass>([
  "connect_refused",
  "connect_timeout",
  "connect_reset",
  "read_timeout",
  "wall_timeout",
]);

/** Undefined: the failure is the host's, whatever the state of this machine. */
export function suspectedOf(
  { failure, unanswered }: Pick<FetchFailure, "failure" | "unanswered">,
): Suspected | undefined {
  if (failure === "dns") return unanswered === true ? "resolver" : undefined;
  return BY_LINK.has(failure) ? "link" : undefined;
}
