/**
 * One spelling for all equivalent percent-encodings (RFC 9309 2.2.2, RFC 3986 2): hex digits in upper case, unreserved
 * characters decoded, everything that isn't a URI character encoded as the UTF-8 that it is. Reserved characters stay
 * as they are: `/%2F` isn't `//`.
 * Invariant: idempotent; the output is ASCII.
 */

const UNRESERVED = /^[A-Za-z0-9\-._~]$/;
const encoder = new TextEncoder();

const hex = (byte: number) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;

function percentEncoded(text: string): string {
  let encoded = "";
  for (const byte of encoder.encode(text)) encoded += hex(byte);
  return encoded;
}

/** Escapes, stray `%`, and runs of characters that no URI holds (RFC 3986 2.2 and 2.3). */
const UNSETTLED = /%[0-9A-Fa-f]{2}|%|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+/g;

function settle(found: string): string {
  if (found === "%") return "%25";
  if (found[0] !== "%") return percentEncoded(found);
  const character = String.fromCharCode(parseInt(found.slice(1), 16));
  return UNRESERVED.test(character) ? character : found.toUpperCase();
}

/** A path with query, of a URL: its `*` and `$` are literal, and spelt as a pattern spells literal ones. */
export function canonicalPath(path: string): string {
  return path.replace(UNSETTLED, settle).replaceAll("*", "%2A").replaceAll("$", "%24");
}

/** A rule's pattern: `*` stays a wildcard, a last `$` the anchor; any other `$` is literal. */
export function canonicalPattern(pattern: string): string {
  return pattern.replace(UNSETTLED, settle).replace(/\$(?!$)/g, "%24").replace(/\*{2,}/g, "*");
}
