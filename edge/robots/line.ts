/**
 * One line of robots.txt as a key and a value (RFC 9309 2.2), with the misspellings that google/robotstxt accepts.
 * Invariant: total; a line that says nothing is undefined, an unknown key is `other` and ends no group (2.2.4).
 */

export type LineKey = "user-agent" | "allow" | "disallow" | "crawl-delay" | "sitemap" | "other";

export interface RobotsLine {
  readonly key: LineKey;
  /** Trimmed, the comment removed. */
  readonly value: string;
}

/** Longest line that is read, in UTF-16 units; the rest of it is ignored (google/robotstxt: eight URLs of 2,083). */
const MAX_LINE_LENGTH = 8 * 2083;

/** Beginnings of keys: real files have `Disallow-all`, `Sitemaps` and the like. */
const SPELLINGS: readonly (readonly [beginning: string, key: LineKey])[] = [
  ["user-agent", "user-agent"],
  ["useragent", "user-agent"],
  ["user agent", "user-agent"],
  ["allow", "allow"],
  ["disallow", "disallow"],
  ["dissallow", "disallow"],
  ["dissalow", "disallow"],
  ["disalow", "disallow"],
  ["diasllow", "disallow"],
  ["disallaw", "disallow"],
  ["crawl-delay", "crawl-delay"],
  ["crawldelay", "crawl-delay"],
  ["crawl delay", "crawl-delay"],
  ["sitemap", "sitemap"],
  ["site-map", "sitemap"],
];

function keyOf(name: string): LineKey {
  const lower = name.toLowerCase();
  return SPELLINGS.find(([beginning]) => lower.startsWith(beginning))?.[1] ?? "other";
}

/** A tag that ends a line where a robots.txt was made by an HTML editor; no URL holds a bare `<`. */
const TAG = /^<\/?(?:br|p|pre|div|span|body|html) *\/?>$/i;

/** Only ASCII white space: anything else may belong to a path. Not by a regular expression: those are quadratic here. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const isSpace = (unit: number) => unit === 32 || unit === 9 || unit === 11 || unit === 12;

function withoutTags(text: string): string {
  let rest = text;
  while (rest.endsWith(">")) {
    const start = rest.lastIndexOf("<");
    if (start < 0 || !TAG.test(rest.slice(start))) break;
    rest = trimmed(rest.slice(0, start));
  }
  return rest;
}

/** Reads `text`, a line without its line end. */
export function readLine(text: string): RobotsLine | undefined {
  const line = text.length > MAX_LINE_LENGTH ? text.slice(0, MAX_LINE_LENGTH) : text;
  const comment = line.indexOf("#");
  const said = withoutTags(trimmed(comment < 0 ? line : line.slice(0, comment)));
  if (said === "") return undefined;
  const colon = said.indexOf(":");
  if (colon >= 0) return { key: keyOf(trimmed(said.slice(0, colon))), value: trimmed(said.slice(colon + 1)) };
  return withoutColon(said);
}

/** Google's leniency: without a colon, exactly one run of white space may stand between key and value. */
function withoutColon(said: string): RobotsLine | undefined {
  const words = said.split(/[ \t\v\f]+/);
  return words.length === 2 ? { key: keyOf(words[0]!), value: words[1]! } : undefined;
}
