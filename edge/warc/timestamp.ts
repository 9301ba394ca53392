/**
 * Wall-clock milliseconds as the texts that WARC and CDXJ want; UTC, proleptic Gregorian, integer arithmetic only.
 * Invariant: for 1970..9999 the texts sort as the times do.
 */

import { type CivilDate, civilOf, DAY_MS } from "../calendar.ts";

/** Last millisecond of 9999: later times have no four-digit year. */
const LAST_MS = 253_402_300_799_999;

function civil(wallMs: number): { readonly date: CivilDate; readonly msOfDay: number } {
  const ms = Math.min(Math.max(0, Math.floor(wallMs) || 0), LAST_MS);
  return { date: civilOf(Math.floor(ms / DAY_MS)), msOfDay: ms % DAY_MS };
}

/** "00" to "99". */
const TWO = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, "0"));

/** `2026-11-30T16:31:53.123Z`: WARC-Date may have a fraction since WARC/1.1 (ISO 28500 5.4). */
export function isoDate(wallMs: number): string {
  const { date: { year, month, day }, msOfDay } = civil(wallMs);
  const hour = TWO[Math.floor(msOfDay / 3_600_000)];
  const minute = TWO[Math.floor(msOfDay / 60_000) % 60];
  const second = TWO[Math.floor(msOfDay / 1000) % 60];
  const ms = msOfDay % 1000;
  return `${year}-${TWO[month]}-${TWO[day]}T${hour}:${minute}:${second}.${Math.floor(ms / 100)}${TWO[ms % 100]}Z`;
}

/** `20261130163153`: the timestamp of CDXJ, cut to the second. */
export function timestamp14(wallMs: number): string {
  return isoDate(wallMs).replaceAll(/\D/g, "").slice(0, 14);
}

/** `20261130163153123`: 17 digits, for file names. */
export function timestamp17(wallMs: number): string {
  return isoDate(wallMs).replaceAll(/\D/g, "");
}
