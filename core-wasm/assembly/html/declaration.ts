/**
 * What begins with `<!`, `<?` or `</` and isn't a tag: comments, bogus comments, doctypes (WHATWG HTML 13.2.5.41-68).
 */

import { BANG, DASH, find, GT, startsIgnoringCase } from "./bytes";
import { DUMP_COMMENT, DUMP_DOCTYPE, dumping, dumpRange } from "./token_dump";

/** Whether `<!--` is at p. */
export function isComment(p: usize, end: usize): bool {
  return p + 3 < end && load<u16>(p, 2) == 0x2d2d;
}

/** Whether `<!doctype` is at p. */
export function isDoctype(p: usize, end: usize): bool {
  return startsIgnoringCase(p + 2, end, "doctype");
}

/** Whether `<![CDATA[` is at p. */
export function isCdata(p: usize, end: usize): bool {
  return p + 9 <= end && load<u32>(p, 2) == 0x4144435b && load<u32>(p, 5) == 0x5b415441;
}

/** From `<!--` at p to the byte after the comment. It ends at `-->` or `--!>`; `>` or `->` at its start end it too. */
export function endOfComment(p: usize, end: usize): usize {
  const start = p + 4;
  if (start < end && <u32>load<u8>(start) == GT) return comment(start, start, start + 1);
  if (start + 1 < end && load<u16>(start) == 0x3e2d) return comment(start, start, start + 2);
  let q = start;
  while (true) {
    q = find(q, end, GT);
    if (q >= end) return comment(start, withoutDashes(start, end), end);
    const dashes = q - start >= 3 && <u32>load<u8>(q - 1) == BANG ? q - 3 : q - 2;
    if (q - start >= 2 && load<u16>(dashes) == 0x2d2d) return comment(start, dashes, q + 1);
    q++;
  }
  return end;
}

/** The end of a comment's text when the page's end stands in for `-->`: what began to be its end is no text. */
function withoutDashes(start: usize, end: usize): usize {
  if (end - start >= 3 && <u32>load<u8>(end - 1) == BANG && load<u16>(end - 3) == 0x2d2d) return end - 3;
  if (end - start >= 2 && load<u16>(end - 2) == 0x2d2d) return end - 2;
  return end > start && <u32>load<u8>(end - 1) == DASH ? end - 1 : end;
}

function comment(start: usize, end: usize, next: usize): usize {
  if (dumping) dumpRange(DUMP_COMMENT, start, end);
  return next;
}

/** A bogus comment whose text begins at p: to the next `>`, which may stand in quotes. */
export function endOfBogusComment(p: usize, end: usize): usize {
  const close = find(p, end, GT);
  if (dumping) dumpRange(DUMP_COMMENT, p, close);
  return min<usize>(close + 1, end);
}

/** A doctype: every state of it ends at `>`, quoted or not. */
export function endOfDoctype(p: usize, end: usize): usize {
  const close = find(p, end, GT);
  if (dumping) dumpRange(DUMP_DOCTYPE, min<usize>(p + 9, close), close);
  return min<usize>(close + 1, end);
}
