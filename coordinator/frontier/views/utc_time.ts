/**
 * Wall clocks as people read them, in UTC, without the platform's calendar.
 * Invariant: pure; the zone is said, and the day where it isn't today.
 */

/** `12:04:31 UTC`, with `2026-11-30 ` before it when that isn't the day of `now`. */
export function utcTime(wallMs: number, now: number): string {
  const atMs = 1000 * Math.ceil(wallMs / 1000);
  const seconds = (atMs / 1000) % 86_400;
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const time = `${two(seconds / 3600)}:${two((seconds % 3600) / 60)}:${two(seconds % 60)} UTC`;
  const day = utcDay(atMs);
  return day === utcDay(now) ? time : `${day} ${time}`;
}

/** `2026-11-30` of a wall clock, UTC: days from the epoch to the calendar (Fliegel and Van Flandern, 1968). */
export function utcDay(wallMs: number): string {
  const julian = Math.floor(wallMs / 86_400_000) + 2_440_588;
  let l = julian + 68_569;
  const n = Math.floor((4 * l) / 146_097);
  l -= Math.floor((146_097 * n + 3) / 4);
  const i = Math.floor((4000 * (l + 1)) / 1_461_001);
  l -= Math.floor((1461 * i) / 4) - 31;
  const j = Math.floor((80 * l) / 2447);
  const day = l - Math.floor((2447 * j) / 80);
  l = Math.floor(j / 11);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${100 * (n - 49) + i + l}-${two(j + 2 - 12 * l)}-${two(day)}`;
}
