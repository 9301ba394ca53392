/**
 * The dates of sitemaps (W3C date and time, a profile of ISO 8601) and of feeds (RFC 822 as RSS has it).
 * Invariant: by arithmetic, without the platform's parser; what is no date, or no date of the calendar, is undefined.
 */

import { civilOf, DAY_MS, daysOf } from "../calendar.ts";

interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** Minutes east of Greenwich. */
  readonly zone: number;
}

function msOf({ year, month, day, hour, minute, second, zone }: Parts): number | undefined {
  const days = daysOf({ year, month, day });
  const back = civilOf(days);
  if (back.month !== month || back.day !== day || hour > 24 || minute > 59 || second > 60) return undefined;
  return days * DAY_MS + ((hour * 60 + minute - zone) * 60 + second) * 1000;
}

/** `+02:00`, `-0330`, `Z`, `GMT`; minutes. Undefined for names that nobody agrees on. */
function zoneOf(text: string): number | undefined {
  if (/^(|Z|UTC?|GMT)$/i.test(text)) return 0;
  const american = { EST: -5, EDT: -4, CST: -6, CDT: -5, MST: -7, MDT: -6, PST: -8, PDT: -7 }[text.toUpperCase()];
  if (american !== undefined) return american * 60;
  const [, sign, hours, minutes = "0"] = /^([+-])(\d\d):?(\d\d)?$/.exec(text) ?? [];
  if (sign === undefined || Number(hours) > 14 || Number(minutes) > 59) return undefined;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

const W3C = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?)?$/i;

/** Wall ms at which the period that `text` names begins; undefined when it is no W3C date (NOTE-datetime). */
export function w3cDateMs(text: string): number | undefined {
  const found = W3C.exec(text);
  if (found === null) return undefined;
  const [, year, month = "1", day = "1", hour = "0", minute = "0", second = "0", zoneText = ""] = found;
  if (found[4] !== undefined && found[3] === undefined) return undefined;
  const zone = zoneOf(zoneText);
  if (zone === undefined) return undefined;
  const [y, m, d, h, min, s] = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return msOf({ year: y, month: m, day: d, hour: h, minute: min, second: s, zone });
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const RFC822 =
  /^(?:[A-Za-z]+,?\s+)?(\d{1,2})[\s-]+([A-Za-z]{3})[a-z]*[\s-]+(\d{2}|\d{4})(?:\s+(\d\d):(\d\d)(?::(\d\d))?\s*([+-]\d{4}|[A-Za-z]{1,4}))?$/;

/** Wall ms of a date as RFC 822 5.1 and RSS 2.0 write it, two- or four-digit year; a time of day needs its zone. */
export function rfc822DateMs(text: string): number | undefined {
  const found = RFC822.exec(text);
  if (found === null) return undefined;
  const [, day, monthName, yearText, hour = "0", minute = "0", second = "0", zoneText = ""] = found;
  const month = MONTHS.indexOf(monthName!.toLowerCase()) + 1;
  const zone = zoneOf(zoneText);
  if (month === 0 || zone === undefined) return undefined;
  const short = Number(yearText);
  const year = yearText!.length === 4 ? short : short < 70 ? 2000 + short : 1900 + short;
  return msOf({
    year,
    month,
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    zone,
  });
}

/** `2017-01-05T12:34:50Z`. */
export function w3cDateOf(ms: number): string {
  const days = Math.floor(ms / DAY_MS);
  const { year, month, day } = civilOf(days);
  const seconds = Math.floor((ms - days * DAY_MS) / 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  const clock = [seconds / 3600, (seconds % 3600) / 60, seconds % 60].map((part) => two(Math.floor(part))).join(":");
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}T${clock}Z`;
}
