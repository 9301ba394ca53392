/**
 * Whether the tokenizer stands in SVG or MathML (WHATWG HTML 13.2.6.5, 13.2.6): there, CDATA is text, and `<title>`,
 * `<style>`, `<script>` hold markup. A stack of the
 * foreign elements, and counts of the HTML elements around them.
 * Invariant: bounded; elements deeper than DEPTH are not remembered.
 */

import { FONT_STYLE, has, takeValue, ENCODING, valueLen, valuePtr } from "./attributes";
import { equalsIgnoringCase } from "./bytes";
import {
  ANNOTATION, BREAKS_OUT, COUNTED, ELEMENT, FONT,  MATH, MATH_TEXT, MGLYPH, PARAGRAPH, SCRIPT, STYLE, SVG, SVG_HTML, TITLE,
} from "./elements";

const DEPTH: usize = 256;
/** 16 bytes an element: key u64, what it is u32, its number u32. */
const STACK: usize = memory.data(256 * 16, 8);

const IN_SVG: u32 = 1;
const IN_MATH: u32 = 2;
/** Its content is HTML (HTML integration point). */
const HOLDS_HTML: u32 = 4;
/** Its content is HTML but for mglyph and malignmark (MathML text integration point). */
const HOLDS_TEXT: u32 = 8;

let depth: usize = 0;

/** How many of each counted HTML element (elements.ts) are open around the foreign root, implied ends left aside. */
const OPEN: usize = memory.data(128 * 4, 4);

export function resetForeign(): void {
  depth = 0;
  memory.fill(OPEN, 0, 128 * 4);
}

// @ts-ignore: decorator
@inline
function openCount(element: u32): usize {
  return OPEN + (<usize>(element >> COUNTED) << 2);
}

/** An end tag of HTML: whether such an element was open. */
function close(element: u32): bool {
  const at = openCount(element);
  const count = load<u32>(at);
  if (element >> COUNTED == 0 || count == 0) return false;
  store<u32>(at, count - 1);
  return true;
}

// @ts-ignore: decorator
@inline
function top(): usize {
  return STACK + ((depth - 1) << 4);
}

/** Whether CDATA sections are text here: the current node isn't an HTML element. */
export function isForeign(): bool {
  return depth != 0 && (load<u32>(top(), 8) & HOLDS_HTML) == 0;
}

/** Whether text here belongs to a foreign style or script. */
export function isForeignCode(): bool {
  if (depth == 0) return false;
  const number = load<u32>(top(), 12);
  return number == STYLE || number == SCRIPT;
}

function push(key: u64, kind: u32, number: u32): void {
  if (depth >= DEPTH) return;
  const at = STACK + (depth << 4);
  store<u64>(at, key);
  store<u32>(at, kind, 8);
  store<u32>(at, number, 12);
  depth++;
}

/** A start tag. True when it is handled as HTML, false when it is a foreign element. */
export function enter(key: u64, element: u32, selfClosing: bool): bool {
  const number = element & ELEMENT;
  if (depth == 0 || holdsHtml(number)) {
    if (number != SVG && number != MATH) {
      if (depth == 0) store<u32>(openCount(element), load<u32>(openCount(element)) + 1);
      return true;
    }
    if (!selfClosing) push(key, number == SVG ? IN_SVG : IN_MATH, number);
    return false;
  }
  if ((element & BREAKS_OUT) != 0 || (number == FONT && has(FONT_STYLE))) {
    breakOut();
    return true;
  }
  if (!selfClosing) push(key, kindOf(number), number);
  return false;
}

/** Whether a start tag with this number is HTML under the current node. */
function holdsHtml(number: u32): bool {
  const kind = load<u32>(top(), 8);
  if ((kind & HOLDS_HTML) != 0) return true;
  if ((kind & HOLDS_TEXT) != 0) return number != MGLYPH;
  return load<u32>(top(), 12) == ANNOTATION && number == SVG;
}

/** What a new child of the current foreign node is. */
function kindOf(number: u32): u32 {
  const space = load<u32>(top(), 8) & (IN_SVG | IN_MATH);
  if (space == IN_SVG) return number == SVG_HTML || number == TITLE ? IN_SVG | HOLDS_HTML : IN_SVG;
  if (number == MATH_TEXT) return IN_MATH | HOLDS_TEXT;
  if (number != ANNOTATION || !takeValue(ENCODING)) return IN_MATH;
  const end = valuePtr + valueLen;
  const isHtml = equalsIgnoringCase(valuePtr, end, "text/html") ||
    equalsIgnoringCase(valuePtr, end, "application/xhtml+xml");
  return isHtml ? IN_MATH | HOLDS_HTML : IN_MATH;
}

/** Pops foreign nodes until HTML or an integration point is current. */
function breakOut(): void {
  while (depth != 0 && (load<u32>(top(), 8) & (HOLDS_HTML | HOLDS_TEXT)) == 0) depth--;
}

/** An end tag. True when it is handled as HTML, false when it closed (or wanted) a foreign element. */
export function leave(key: u64, element: u32): bool {
  if (depth == 0) {
    close(element);
    return true;
  }
  if ((load<u32>(top(), 8) & (HOLDS_HTML | HOLDS_TEXT)) != 0) {
    if (load<u64>(top()) != key) return true;
    depth--;
    return false;
  }
  if ((element & ELEMENT) == PARAGRAPH) {
    breakOut();
    return true;
  }
  let at = depth;
  while (at != 0) {
    const entry = STACK + ((at - 1) << 4);
    if (load<u64>(entry) == key) {
      depth = at - 1;
      return false;
    }
    if ((load<u32>(entry, 8) & (HOLDS_HTML | HOLDS_TEXT)) != 0) return true;
    at--;
  }
  // An HTML element around the foreign root is closed, and the root with it.
  if (close(element)) depth = 0;
  return true;
}
