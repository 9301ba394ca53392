/** Which of the core's buffers (memory/buffers.ts) the page scan uses, and for what. */

import { HTML_0 } from "../memory/buffers";

/** The page, in UTF-8. */
export const HTML_PAGE: i32 = HTML_0;
/** Index of the named character references; built once, kept. */
export const HTML_REFERENCES: i32 = HTML_0 + 1;
/** Attribute values that differ from their source, and rel tokens. */
export const HTML_VALUES: i32 = HTML_0 + 2;
/** Links as they are met. */
export const HTML_LINKS: i32 = HTML_0 + 3;
/** Visible text, white space folded. */
export const HTML_TEXT: i32 = HTML_0 + 4;
/** Answer: hrefs; raw values and rels; one row per link. */
export const HTML_URLS: i32 = HTML_0 + 5;
export const HTML_STRINGS: i32 = HTML_0 + 6;
export const HTML_ROWS: i32 = HTML_0 + 7;
/** Which hrefs were met before. */
export const HTML_SEEN: i32 = HTML_0 + 8;
/** Answer: title, lang, base, canonical. */
export const HTML_FACTS: i32 = HTML_0 + 9;
/** Tokens, for the conformance tests. */
export const HTML_TOKENS: i32 = HTML_0 + 10;
/** Names of elements and attributes; built once, kept. */
export const HTML_ELEMENTS: i32 = HTML_0 + 11;
export const HTML_ATTRIBUTES: i32 = HTML_0 + 12;
/** Bytes that are to be decoded to UTF-8. */
export const HTML_LEGACY: i32 = HTML_0 + 13;
/** A link whose query was encoded in the page's charset. */
export const HTML_ENCODED: i32 = HTML_0 + 15;
