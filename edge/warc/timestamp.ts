/**
 * Wall-clock milliseconds as the texts that WARC and CDXJ want; UTC, proleptic Gregorian, integer arithmetic only.
 * Invariant: for 1970..9999 the texts sort as the times do.
 */

const DAY_MS = 86_400_000;
/** Last millisecond of 9999: later times have no four-digit year. */
const LAST_MS = 253_402_300_799_999;

interface CivilTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly msOfDay: number;
}

/** Days since 1970-01-01 as a date: years begin in March, so that the leap day ends one; 400 years have 146,097 days. */
function civil(wallMs: number): CivilTime {
  const ms = Math.min(Math.max(0, Math.floor(wallMs) || 0), LAST_MS);
  const days = Math.floor(ms / DAY_MS) + 719_468;
  const era = Math.floor(days / 146_097);
  const dayOfEra = days - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
    msOfDay: ms % DAY_MS,
  };
}

/** "00" to "99". */
const TWO = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, "0"));

/** `2026-11-30T16:31:53.123Z`: WARC-Date may have a fraction since WARC/1.1 (ISO 28500 5.4). */
export function isoDate(wallMs: number): string {
  const { year, month, day, msOfDay } = civil(wallMs);
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
