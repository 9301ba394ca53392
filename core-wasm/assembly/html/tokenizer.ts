/**
 * The HTML tokenizer (WHATWG HTML 13.2.5) over UTF-8 bytes: text runs found by SIMD, tags and declarations by their
 * states. What tags mean to the page, and to the state that follows, is in page.ts.
 * Invariant: total and linear; every byte belongs to one token or to a tag that the page's end cut off.
 */

import { ALPHA, BANG, find, GT, is, LT, NAME_END, SLASH } from "./bytes";
import { isCdata, isComment, isDoctype, endOfBogusComment, endOfComment, endOfDoctype } from "./declaration";
import { NUL_TO_REPLACEMENT, REFERENCES_ON } from "./decode";
import { holdsCdata, onEndTag, onStartTag, onText } from "./page";
import { endOfRawText, endOfScript, openRawText } from "./raw_text";
import { readTag, selfClosing, tagNameEnd, tagNameStart } from "./tag";
import { closeTag, dropTag, dumpCharacters, dumping, openTag } from "./token_dump";
import { CDATA, DATA, PLAINTEXT, RCDATA, SCRIPT_DATA } from "./states";

/** Tokenizes [from, end), beginning in `state`; the raw text states need openRawText before. */
export function tokenize(from: usize, end: usize, state: u32): void {
  let p = from;
  let now = state;
  while (p < end) {
    if (now == DATA) {
      const open = find(p, end, LT);
      if (open > p) text(p, open, DATA);
      if (open >= end) return;
      p = markup(open, end);
      if (p == 0) return;
      now = nextState;
    } else if (now == PLAINTEXT) {
      text(p, end, PLAINTEXT);
      return;
    } else if (now == CDATA) {
      const close = endOfCdata(p, end);
      if (close > p) text(p, close, CDATA);
      p = close + 3;
      now = DATA;
    } else {
      const close = now == SCRIPT_DATA ? endOfScript(p, end) : endOfRawText(p, end);
      if (close > p) text(p, close, now);
      if (close >= end) return;
      p = tag(close + 2, end, true);
      if (p == 0) return;
      now = DATA;
    }
  }
}

/** The state after the last markup. */
let nextState: u32 = DATA;

/** What begins with the `<` at p in the data state. Returns where the next state begins; 0 = the page ends inside. */
function markup(p: usize, end: usize): usize {
  nextState = DATA;
  const next: u32 = p + 1 < end ? <u32>load<u8>(p, 1) : 0;
  if (is(next, ALPHA)) return tag(p + 1, end, false);
  if (next == SLASH) return endTagOpen(p, end);
  if (next == BANG) return declaration(p, end);
  if (next == 0x3f) return endOfBogusComment(p + 1, end);
  text(p, p + 1, DATA);
  return p + 1;
}

function endTagOpen(p: usize, end: usize): usize {
  if (p + 2 >= end) {
    text(p, end, DATA);
    return end;
  }
  const next = <u32>load<u8>(p, 2);
  if (is(next, ALPHA)) return tag(p + 2, end, true);
  return next == GT ? p + 3 : endOfBogusComment(p + 2, end);
}

function declaration(p: usize, end: usize): usize {
  if (isComment(p, end)) return endOfComment(p, end);
  if (isDoctype(p, end)) return endOfDoctype(p, end);
  if (isCdata(p, end) && holdsCdata()) {
    nextState = CDATA;
    return p + 9;
  }
  return endOfBogusComment(p + 2, end);
}

/** The tag whose name begins at p. */
function tag(p: usize, end: usize, isEnd: bool): usize {
  if (dumping) openTag(isEnd, p, endOfName(p, end));
  const next = readTag(p, end);
  if (dumping) {
    if (next == 0) dropTag();
    else closeTag(selfClosing);
    return next;
  }
  if (next == 0) return 0;
  if (isEnd) onEndTag();
  else {
    nextState = onStartTag();
    if (nextState != DATA && nextState != PLAINTEXT) openRawText(tagNameStart, tagNameEnd);
  }
  return next;
}

function endOfName(from: usize, end: usize): usize {
  let p = from;
  while (p < end && !is(<u32>load<u8>(p), NAME_END)) p++;
  return p;
}

function endOfCdata(from: usize, end: usize): usize {
  let p = from;
  while (true) {
    p = find(p, end, GT);
    if (p >= end) return end;
    if (p - from >= 2 && load<u16>(p - 2) == 0x5d5d) return p - 2;
    p++;
  }
  return end;
}

function text(p: usize, end: usize, state: u32): void {
  if (!dumping) {
    onText(p, end, state);
    return;
  }
  let how: u32 = state == DATA || state == RCDATA ? REFERENCES_ON : 0;
  if (state != DATA && state != CDATA) how |= NUL_TO_REPLACEMENT;
  dumpCharacters(p, end, how);
}
