/**
 * One tag: its name and its attributes (WHATWG HTML 13.2.5.8, 13.2.5.32-40).
 * Invariant: a tag that the page's end cuts off is no tag.
 */

import { keepAttribute, resetAttributes } from "./attributes";
import { APOSTROPHE, ATTRIBUTE_END, EQUALS, find, GT, is, lower, NAME_END, QUOTE, skipSpace, SLASH, SPACE, VALUE_END } from "./bytes";
import { ELEMENT, elementOf } from "./elements";
import { mixName } from "./name_table";
import { dumpAttribute, dumping } from "./token_dump";

/** The last tag's name: key (name_table.ts) and place in the source. */
export let tagKey: u64 = 0;
/** What elements.ts knows of it. */
export let tagElement: u32 = 0;
export let tagNameStart: usize = 0;
export let tagNameEnd: usize = 0;
export let selfClosing: bool = false;

/** Reads the tag whose name begins at `from`. Returns where the text after it begins, 0 when the page ends inside. */
export function readTag(from: usize, end: usize): usize {
  let p = from;
  let key: u64 = 0;
  while (p < end) {
    const byte = <u32>load<u8>(p);
    if (is(byte, NAME_END)) break;
    key = mixName(key, p - from, lower(byte));
    p++;
  }
  tagKey = key;
  tagElement = elementOf(key);
  const isRead = (tagElement & ELEMENT) != 0 || dumping;
  tagNameStart = from;
  tagNameEnd = p;
  selfClosing = false;
  resetAttributes();
  while (p < end) {
    const byte = <u32>load<u8>(p);
    if (byte == GT) return p + 1;
    if (is(byte, SPACE)) p++;
    else if (byte == SLASH) {
      p++;
      if (p < end && <u32>load<u8>(p) == GT) {
        selfClosing = true;
        return p + 1;
      }
    } else {
      p = isRead ? readAttribute(p, end) : skipAttribute(p, end);
      if (p == 0) return 0;
    }
  }
  return 0;
}

/** Reads the attribute that begins at `from`; returns where it ends, 0 when the page ends inside. */
function readAttribute(from: usize, end: usize): usize {
  // The first byte belongs to the name even when it is `=` (13.2.5.32).
  let key = mixName(0, 0, lower(<u32>load<u8>(from)));
  let p = from + 1;
  while (p < end) {
    const byte = <u32>load<u8>(p);
    if (is(byte, ATTRIBUTE_END)) break;
    key = mixName(key, p - from, lower(byte));
    p++;
  }
  const nameEnd = p;
  p = skipSpace(p, end);
  if (p >= end) return 0;
  if (<u32>load<u8>(p) != EQUALS) {
    keep(key, from, nameEnd, p, p);
    return p;
  }
  p = skipSpace(p + 1, end);
  if (p >= end) return 0;
  const quote = <u32>load<u8>(p);
  if (quote == QUOTE || quote == APOSTROPHE) {
    const close = find(p + 1, end, quote);
    if (close >= end) return 0;
    keep(key, from, nameEnd, p + 1, close);
    return close + 1;
  }
  const start = p;
  while (p < end && !is(<u32>load<u8>(p), VALUE_END)) p++;
  keep(key, from, nameEnd, start, p);
  return p;
}

/** As readAttribute, for elements whose attributes nothing asks for. */
function skipAttribute(from: usize, end: usize): usize {
  let p = from + 1;
  while (p < end && !is(<u32>load<u8>(p), ATTRIBUTE_END)) p++;
  p = skipSpace(p, end);
  if (p >= end) return 0;
  if (<u32>load<u8>(p) != EQUALS) return p;
  p = skipSpace(p + 1, end);
  if (p >= end) return 0;
  const quote = <u32>load<u8>(p);
  if (quote == QUOTE || quote == APOSTROPHE) {
    const close = find(p + 1, end, quote);
    return close >= end ? 0 : close + 1;
  }
  while (p < end && !is(<u32>load<u8>(p), VALUE_END)) p++;
  return p;
}

// @ts-ignore: decorator
@inline
function keep(key: u64, name: usize, nameEnd: usize, start: usize, end: usize): void {
  keepAttribute(key, start, end);
  if (dumping) dumpAttribute(name, nameEnd, start, end);
}
