/**
 * Which charset bytes are in that nothing, or something wrong, was declared of: the one whose text costs least by what is
 * known of languages. Invariant: total; deterministic; linear in the page, and work beyond the sample bounded by it.
 */

import { costOfCharacters } from "./characters";
import { LANGUAGES } from "./languages_data";
import { charsetAt, costOf, isLatin, nextLanguage, openLanguages } from "./letters";
import { firstHigh, highBytes, sampleEnd, takeSample } from "./sample";
import { sevenBitCharset } from "./seven_bit";
import { BIG5, EUC_JP, EUC_KR, GBK, LAST_SINGLE, MACINTOSH, SHIFT_JIS, UTF_8, WINDOWS_1252, WINDOWS_874 } from "../charset/ids";
import { sequenceAt } from "../text/utf8";

/**
 * Half bits that a text must be cheaper by than in windows-1252, as there are fewer such pages. Scripts that have most of
 * their letters beyond ASCII show it soon; few accents must not be taken for them.
 */
const LATIN_HANDICAP: u32 = 14;
const SCRIPT_HANDICAP: u32 = 20;
/** On top of them, for ISO's and DOS's charsets, and for the Macintosh's. */
const OLD_HANDICAP: u32 = 4;
const MAC_HANDICAP: u32 = 40;
/** Half bits a byte from which on a text reads like none; and when there are but few of them. */
const GUESS_COST: u32 = 20;
const FEW_COST: u32 = 14;
const FEW: u32 = 4;
/** Set in an answer that is a mere guess. */
const GUESS: u32 = 0x80000000;

/** Sequences of UTF-8 beyond ASCII, and faults, as countUtf8 found them. */
let sequences: usize = 0;
let faults: usize = 0;

/** The number of a charset (charset/ids.ts), with GUESS when nothing reads well. */
export function detect(from: usize, len: usize): u32 {
  const seven = sevenBitCharset(from, len);
  if (seven != UTF_8) return seven;
  countUtf8(from, from + len);
  if (sequences >= faults * 3) return UTF_8;
  const sample = takeSample(from, len);
  return sample == 0 ? WINDOWS_1252 | GUESS : cheapest(sample, sampleEnd);
}

/** Whether more of the bytes beyond ASCII are UTF-8 than not. */
export function isMostlyUtf8(from: usize, len: usize): bool {
  countUtf8(from, from + len);
  return sequences > faults;
}

function countUtf8(from: usize, end: usize): void {
  sequences = 0;
  faults = 0;
  for (let p = firstHigh(from, end); p < end; p = firstHigh(p, end)) {
    const length = sequenceAt(p, end);
    if (length > 0) sequences++;
    // The end of a page that was cut short isn't its fault.
    else if (p + <usize>-length < end || length == -1) faults++;
    p += <usize>abs<i32>(length);
  }
}

let best: u32 = 0;
let least: u32 = 0;

function consider(charset: u32, cost: u32, handicap: u32): void {
  if (cost >= 0x7fffffff || cost + handicap >= least) return;
  least = cost + handicap;
  best = charset;
}

const TWO_BYTES: usize = memory.data<u32>([GBK, SHIFT_JIS, EUC_JP, EUC_KR, BIG5]);

function cheapest(from: usize, end: usize): u32 {
  best = WINDOWS_1252;
  least = 0x7fffffff;
  openLanguages();
  for (let i: u32 = 0; i < LANGUAGES; i++) {
    const charsets = nextLanguage();
    for (let c: u32 = 0; c < charsets; c++) {
      const charset = charsetAt(c);
      consider(charset, costOf(c, from, end, least), handicapOf(charset));
    }
  }
  for (let i: usize = 0; i < 5; i++) {
    const charset = load<u32>(TWO_BYTES + (i << 2));
    consider(charset, costOfCharacters(charset, from, end, least), SCRIPT_HANDICAP);
  }
  return least > highBytes * (highBytes < FEW ? FEW_COST : GUESS_COST) ? best | GUESS : best;
}

function handicapOf(charset: u32): u32 {
  if (charset == WINDOWS_1252) return 0;
  const script = isLatin() ? LATIN_HANDICAP : SCRIPT_HANDICAP;
  if (charset == MACINTOSH || charset == LAST_SINGLE) return script + MAC_HANDICAP;
  return isOfWindows(charset) ? script : script + OLD_HANDICAP;
}

function isOfWindows(charset: u32): bool {
  return charset >= WINDOWS_874 && charset < LAST_SINGLE;
}
