/**
 * Domain to ASCII for domains with characters beyond ASCII (URL Standard 3.3).
 * Invariant: such a domain is refused as long as UTS-46 mapping isn't part of the core; never guessed.
 */

import { E_IDNA } from "./error";

/** Writes the ASCII form of the UTF-8 domain [p, end) at `out`: its length, or an error. */
export function domainToAscii(p: usize, end: usize, out: usize, outCap: usize): i32 {
  return E_IDNA;
}
