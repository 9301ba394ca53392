/**
 * Which charset a page is in: BOM, then the Content-Type header, then the first 1,024 bytes (WHATWG HTML 13.2.3.2).
 * Invariant: an answer is a WHATWG encoding name in lower case; undefined means that nothing was declared.
 */

import { CHARSET_LABELS } from "./charset_labels.ts";
import { extractCharset, prescan } from "./charset_prescan.ts";

export interface Charset {
  /** WHATWG encoding name, lower case. */
  readonly name: string;
  /** Bytes of the byte order mark that the text begins after. */
  readonly bomBytes: number;
}

/** Bytes of the prescan. */
const PRESCAN_BYTES = 1024;
/** How far a page is searched that declares nothing there and isn't UTF-8. */
const LATE_BYTES = 64 * 1024;

const names = new Map(
  Object.entries(CHARSET_LABELS).flatMap(([name, labels]) => labels.split(" ").map((label) => [label, name] as const)),
);

/** The encoding that a label names (Encoding 4.2, "get an encoding"): white space around it and case don't count. */
export function charsetOf(label: string): string | undefined {
  return names.get(label.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, "").toLowerCase());
}

function byteOrderMark(bytes: Uint8Array): Charset | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { name: "utf-8", bomBytes: 3 };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { name: "utf-16be", bomBytes: 2 };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { name: "utf-16le", bomBytes: 2 };
  return undefined;
}

/** The header that was read last: most pages of a crawl have the same. */
let lastHeader: string | undefined;
let lastCharset: string | undefined;

function headerCharset(contentType: string): string | undefined {
  if (contentType === lastHeader) return lastCharset;
  const label = extractCharset(contentType);
  lastCharset = label === undefined ? undefined : charsetOf(label);
  lastHeader = contentType;
  return lastCharset;
}

/** What the page or its header declares; undefined when neither does. `contentType` is the header's value. */
export function declaredCharset(bytes: Uint8Array, contentType: string | undefined): Charset | undefined {
  const marked = byteOrderMark(bytes);
  if (marked !== undefined) return marked;
  const name = (contentType === undefined ? undefined : headerCharset(contentType)) ??
    prescan(bytes.subarray(0, PRESCAN_BYTES), charsetOf);
  return name === undefined ? undefined : { name, bomBytes: 0 };
}

/** What a `<meta>` beyond the prescan declares: browsers begin anew when they meet it (WHATWG HTML 13.2.3.5). */
export function lateCharset(bytes: Uint8Array): string | undefined {
  return prescan(bytes.subarray(0, LATE_BYTES), charsetOf);
}
