/**
 * HTTP dates (RFC 9110 5.6.7), by arithmetic: the platforms' date parsers take `120` for a year and `-5` for a month.
 * Invariant: parse(format(s)) = s for whole seconds of the years 1 to 9999; whatever isn't one of the three HTTP forms is undefined.
 */

import { type CivilDate, civilOf, DAY_MS, daysOf } from "../calendar.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
/** 1970-01-01 was a Thursday. */
const EPOCH_WEEKDAY = 4;
/** A two-digit year that lies further ahead than this means the century before. */
const AHEAD_YEARS = 50;

function msOf(civil: CivilDate, clock: string): number | undefined {
  const [hour, minute, second] = clock.split(":").map(Number) as [number, number, number];
  const days = daysOf(civil);
  const back = civilOf(days);
  // 31 Feb comes back as a day of March: no such date.
  if (back.month !== civil.month || back.day !== civil.day) return undefined;
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  return days * DAY_MS + ((hour * 60 + minute) * 60 + Math.min(second, 59)) * 1000;
}

const CLOCK = "(\\d\\d:\\d\\d:\\d\\d)";
const MONTH = `(${MONTHS.join("|")})`;
const IMF = new RegExp(`^[A-Z][a-z]{2}, (\\d\\d) ${MONTH} (\\d{4}) ${CLOCK} (?:GMT|UTC)$`);
const RFC850 = new RegExp(`^[A-Z][a-z]{5,8}, (\\d\\d)-${MONTH}-(\\d\\d) ${CLOCK} (?:GMT|UTC)$`);
const ASCTIME = new RegExp(`^[A-Z][a-z]{2} ${MONTH} ([ \\d]\\d) ${CLOCK} (\\d{4})$`);
const ISO = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z|\+00:?00)$/;

function monthNumber(name: string): number {
  return MONTHS.indexOf(name) + 1;
}

/** A two-digit year, read from the present year (RFC 9110 5.6.7). */
function fullYear(twoDigits: number, nowMs: number): number {
  const present = civilOf(Math.floor(nowMs / DAY_MS)).year;
  const year = Math.floor(present / 100) * 100 + twoDigits;
  return year > present + AHEAD_YEARS ? year - 100 : year;
}

/** ms since 1970 of an HTTP date in any of its three forms, else undefined. `nowMs` settles two-digit years. */
export function parseHttpDate(text: string, nowMs: number): number | undefined {
  const trimmed = text.trim();
  const imf = IMF.exec(trimmed);
  if (imf) return msOf({ year: Number(imf[3]), month: monthNumber(imf[2]!), day: Number(imf[1]) }, imf[4]!);
  const old = RFC850.exec(trimmed);
  if (old) {
    const year = fullYear(Number(old[3]), nowMs);
    return msOf({ year, month: monthNumber(old[2]!), day: Number(old[1]) }, old[4]!);
  }
  const asc = ASCTIME.exec(trimmed);
  if (!asc) return undefined;
  return msOf({ year: Number(asc[4]), month: monthNumber(asc[1]!), day: Number(asc[2]) }, asc[3]!);
}

/** ms since 1970 of an ISO 8601 UTC instant (`2026-01-31T10:00:00Z`), else undefined. */
export function parseIsoInstant(text: string): number | undefined {
  const iso = ISO.exec(text.trim());
  return iso ? msOf({ year: Number(iso[1]), month: Number(iso[2]), day: Number(iso[3]) }, iso[4]!) : undefined;
}

/** IMF-fixdate, the only form that may be sent: `Sun, 06 Nov 1994 08:49:37 GMT`. Fractions of a second are dropped. */
export function formatHttpDate(ms: number): string {
  const days = Math.floor(ms / DAY_MS);
  const seconds = Math.floor((ms - days * DAY_MS) / 1000);
  const { year, month, day } = civilOf(days);
  const two = (value: number) => String(value).padStart(2, "0");
  const weekday = DAYS[(((days + EPOCH_WEEKDAY) % 7) + 7) % 7];
  const clock = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) => two(Math.floor(part))).join(":");
  return `${weekday}, ${two(day)} ${MONTHS[month - 1]} ${String(year).padStart(4, "0")} ${clock} GMT`;
}
