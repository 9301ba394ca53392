/**
 * The numbers by which the host names charsets to the core (assembly/charset/ids.ts has the same ones).
 * Invariant: a charset's position is its number; single-byte ones stand in the order of the packed indexes.
 */

/** Their tables are indexes of 128 code points each: 1 to 27. */
export const SINGLE_BYTE_CHARSETS: readonly string[] = [
  "ibm866",
  "iso-8859-2",
  "iso-8859-3",
  "iso-8859-4",
  "iso-8859-5",
  "iso-8859-6",
  "iso-8859-7",
  "iso-8859-8",
  "iso-8859-10",
  "iso-8859-13",
  "iso-8859-14",
  "iso-8859-15",
  "iso-8859-16",
  "koi8-r",
  "koi8-u",
  "macintosh",
  "windows-874",
  "windows-1250",
  "windows-1251",
  "windows-1252",
  "windows-1253",
  "windows-1254",
  "windows-1255",
  "windows-1256",
  "windows-1257",
  "windows-1258",
  "x-mac-cyrillic",
];

/** WHATWG encoding names in lower case by number. */
export const CHARSETS: readonly string[] = [
  "utf-8",
  ...SINGLE_BYTE_CHARSETS,
  "gbk",
  "gb18030",
  "big5",
  "euc-jp",
  "iso-2022-jp",
  "shift_jis",
  "euc-kr",
  "utf-16le",
  "utf-16be",
  "replacement",
  "x-user-defined",
];

/** Names that share another's table: they differ in how a browser lays text out. */
const SAME_TABLE: Readonly<Record<string, string>> = { "iso-8859-8-i": "iso-8859-8" };

const ids = new Map(CHARSETS.map((name, id) => [name, id] as const));

/** The core's number of a WHATWG encoding name; throws when there is none of that name. */
export function charsetId(name: string): number {
  const id = ids.get(SAME_TABLE[name] ?? name);
  if (id === undefined) {
    throw new Error(`Naming a charset to the core found "${name}"; wanted a WHATWG encoding name in lower case.`);
  }
  return id;
}
