/**
 * Retry-After (RFC 9110 10.2.3): seconds or an HTTP date.
 * Invariant: a wait of 1 ms to `LIMITS.retryAfterMaxMs`, or undefined, which leaves it to the caller's own back-off. Pure.
 */

import { LIMITS } from "../../protocol/mod.ts";
import { parseHttpDate } from "./http_date.ts";

/** ms to wait, counted from `wallMs`; undefined when the value is absent, malformed, zero or in the past. */
export function parseRetryAfter(value: string | undefined, wallMs: number): number | undefined {
  const text = value?.trim() ?? "";
  // Digits only: a sign or a fraction is no delay-seconds, and date parsers must not see them.
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : (parseHttpDate(text, wallMs) ?? wallMs) - wallMs;
  return waitMs > 0 ? Math.min(waitMs, LIMITS.retryAfterMaxMs) : undefined;
}
