/**
 * Families of URLs that differ in one generated part only: a date, or the values of a query, or a token in the path.
 * Traps - calendars without end, session ids - are families that grow; so are honest archives and catalogues, so being of
 * a family is no fault by itself (traps.ts judges).
 * Invariant: pure; two URLs of one family have one `shape`, and most URLs have none.
 */

export type FamilyKind = "days" | "months" | "values";

export interface UrlFamily {
  /** Hash of what its URLs have in common. */
  readonly shape: number;
  readonly kind: FamilyKind;
  /** Of the date; 0 for `values`. */
  readonly year: number;
}

interface Dated {
  readonly text: string;
  readonly kind: "days" | "months";
  readonly year: number;
}

/** What can't have a family is told in one pass: no query, no year, no token. */
const PERHAPS = /\?|\d{4}|[0-9a-f]{16}/i;
/** /2024/5/17, /2024/05, also at a path's end only. Years beyond 9999 belong to calendars that nobody ended. */
const FOLDERS = /\/(\d{4,6})\/(\d{1,2})(?:\/(\d{1,2}))?(?=\/|$)/;
/** 2024-05-17, 2024_5, 2024.05.17, within a segment or a value. */
const JOINED = /(?<!\d)(\d{4,6})([-_.])(\d{1,2})(?:\2(\d{1,2}))?(?!\d)/;
/** 20240517 */
const PACKED = /(?<!\d)(\d{4})(\d{2})(\d{2})(?!\d)/;
/** Sixteen hex digits and more, dashes of a UUID among them; a word of letters alone is none. */
const TOKEN = /(?<![0-9a-z])(?=[a-f-]*\d)[0-9a-f](?:[0-9a-f-]){14,}[0-9a-f](?![0-9a-z])/gi;
const YEAR_NAMES = /^(?:y|yr|year)$/i;
const MONTH_NAMES = /^(?:m|mo|mon|month)$/i;
const DAY_NAMES = /^(?:d|day|mday)$/i;

/** The family of a WHATWG href; undefined = it stands alone. */
export function familyOf(href: string): UrlFamily | undefined {
  const pathStart = href.indexOf("/", href.indexOf("://") + 3);
  if (pathStart < 0) return undefined;
  const target = href.slice(pathStart);
  if (!PERHAPS.test(target)) return undefined;
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  const pairs = mark < 0 ? [] : target.slice(mark + 1).split("&").filter((pair) => pair !== "");
  const names = pairs.map((pair) => pair.split("=", 1)[0]!).join("&");
  const inPath = dateIn(path);
  if (inPath !== undefined) return family(`${inPath.text}?${names}`, inPath);
  const plain = path.replace(TOKEN, "#");
  const inQuery = dateOfQuery(pairs);
  if (inQuery !== undefined) return family(`${plain}?${names}?${inQuery.text}`, inQuery);
  if (names === "" && plain === path) return undefined;
  return { shape: hashOf(`${plain}?${names}`), kind: "values", year: 0 };
}

function family(text: string, { kind, year }: Dated): UrlFamily {
  return { shape: hashOf(text), kind, year };
}

function dateIn(text: string): Dated | undefined {
  const folders = FOLDERS.exec(text);
  if (folders !== null) {
    const [whole, year, month, day] = folders;
    return dated(text, whole, { year: year!, month: month!, day, marks: ["/#Y/#M/#D", "/#Y/#M"] });
  }
  const joined = JOINED.exec(text);
  if (joined !== null) {
    const [whole, year, , month, day] = joined;
    const found = dated(text, whole, { year: year!, month: month!, day, marks: ["#Y-#M-#D", "#Y-#M"] });
    if (found !== undefined) return found;
  }
  const packed = PACKED.exec(text);
  if (packed === null) return undefined;
  const [whole, year, month, day] = packed;
  return dated(text, whole, { year: year!, month: month!, day, marks: ["#Y#M#D", ""] });
}

function dated(
  text: string,
  whole: string,
  parts: {
    readonly year: string;
    readonly month: string;
    readonly day: string | undefined;
    readonly marks: readonly [withDay: string, without: string];
  },
): Dated | undefined {
  const { year, month, day, marks } = parts;
  if (!isWithin(month, 12)) return undefined;
  if (day !== undefined && !isWithin(day, 31)) return undefined;
  const kind = day === undefined ? "months" : "days";
  return { text: text.replace(whole, day === undefined ? marks[1] : marks[0]), kind, year: Number(year) };
}

function isWithin(digits: string, most: number): boolean {
  const value = Number(digits);
  return value >= 1 && value <= most;
}

/** A date in one value, or spread over parameters that are called year, month, day. */
function dateOfQuery(pairs: readonly string[]): Dated | undefined {
  let year = 0;
  let hasMonth = false;
  let hasDay = false;
  for (const pair of pairs) {
    const [name = "", value = ""] = pair.split("=", 2);
    const found = dateIn(value);
    if (found !== undefined) return { ...found, text: name };
    if (YEAR_NAMES.test(name) && /^\d{4,6}$/.test(value)) year = Number(value);
    else if (MONTH_NAMES.test(name) && isWithin(value, 12)) hasMonth = true;
    else if (DAY_NAMES.test(name) && isWithin(value, 31)) hasDay = true;
  }
  if (year === 0 || !hasMonth) return undefined;
  return { text: "parts", kind: hasDay ? "days" : "months", year };
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
