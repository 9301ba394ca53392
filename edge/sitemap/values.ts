/**
 * The values of a sitemap's fields, believed only as far as they make sense.
 * Invariant: pure; what makes no sense counts as not said.
 */

import { rfc822DateMs, w3cDateMs, w3cDateOf } from "./dates.ts";
import type { ChangeFrequency } from "./sitemap.ts";

/** Clocks and time zones of others may be off by this much. */
const AHEAD_MS = 36 * 3_600_000;

const FREQUENCIES = new Set(["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"]);

/** Without white space at its ends, Unicode's kinds and invisible characters included. */
export function trimmed(text: string): string {
  return text.replace(/^[\s\u0085\u180e\u200b-\u200f\u2060\ufeff]+|[\s\u0085\u180e\u200b-\u200f\u2060\ufeff]+$/g, "");
}

/** A date in W3C form that doesn't lie in the future at `now`, wall ms. */
export function lastmodOf(text: string, now: number): string | undefined {
  const w3c = w3cDateMs(text);
  const ms = w3c ?? rfc822DateMs(text);
  if (ms === undefined || ms > now + AHEAD_MS) return undefined;
  return w3c === undefined ? w3cDateOf(ms) : text;
}

export function frequencyOf(text: string): ChangeFrequency | undefined {
  const word = text.toLowerCase();
  return FREQUENCIES.has(word) ? word as ChangeFrequency : undefined;
}

/** Above 0, up to 1; 0, what lies outside, and what is no number are as good as not said. */
export function priorityOf(text: string): number | undefined {
  const value = /^[+]?\d*[.,]?\d+$/.test(text) ? Number(text.replace(",", ".")) : NaN;
  return value > 0 && value <= 1 ? value : undefined;
}
