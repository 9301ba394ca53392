/**
 * How well a sample reads as a language in a single-byte charset: the sum of what its letters cost, in half bits.
 * Invariant: linear in the sample; only pairs with a byte beyond ASCII count.
 *
 * A language in LANGUAGE_DATA: a word of letters (8 bits), 1 << 8 when it is written in Latin letters, charsets << 16;
 * a word per charset; a word per letter, upper case in its high half; then nibbles, symbols x symbols.
 * Symbols: 0 ASCII that is no letter; ASCII letters (26, or one for all); the language's own; quotes, dashes and the
 * like; signs; all else.
 */

import { LANGUAGE_DATA } from "./languages_data";
import { entryCode, entryPointer, nextEntry, openIndex } from "../charset/unpack";
import { CHARSET_0, reserve } from "../memory/buffers";

/** Costs that a nibble stands for. */
const LEVELS: usize = memory.data<u8>([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 19, 23, 28]);
/** A byte without a character, or a C1 control. */
const NONE: u32 = 127;
const NONE_COST: u32 = 50;
const UPPER: u32 = 128;
/** Upper case after lower case. */
const CASE_COST: u32 = 16;
/** A capital by itself, beyond ASCII, in a script of its own: signs of Latin-1 look like that in other charsets. */
const CAPITAL_COST: u32 = 10;

/** For each language in each of its charsets, made when it is first met: the symbol of each byte, + 128 for upper case. */
const MAPS: i32 = CHARSET_0 + 9;
const MAP_BYTES: usize = 256;
const MOST_MAPS: usize = 256;
/** 1 where a map was made. */
const made: usize = memory.data(256, 16);

let symbols: usize = 0;
/** Number of the map of the current language in its first charset. */
let firstMap: usize = 0;
let words: usize = LANGUAGE_DATA;
let letters: u32 = 0;
let plain: u32 = 0;
let charsets: u32 = 0;
let count: u32 = 0;

export function openLanguages(): void {
  words = LANGUAGE_DATA;
  firstMap = 0;
  charsets = 0;
  count = 0;
}

/** Steps to the next language; its charsets are charsetAt(0) up to the number that is returned. */
export function nextLanguage(): u32 {
  if (charsets != 0) words += <usize>(1 + charsets + letters + ((count * count + 7) >> 3)) << 2;
  firstMap += <usize>charsets;
  const header = load<u32>(words);
  letters = header & 0xff;
  plain = (header & 0x100) != 0 ? 26 : 1;
  charsets = header >> 16;
  count = 1 + plain + letters + 3;
  return charsets;
}

/** Whether the current language is written in Latin letters. */
export function isLatin(): bool {
  return plain == 26;
}

export function charsetAt(i: u32): u32 {
  return load<u32>(words + (<usize>(1 + i) << 2));
}

/** The cost of [from, end) as the current language in its charset `i`; more than `limit` means that it is more. */
export function costOf(i: u32, from: usize, end: usize, limit: u32): u32 {
  if (!findMap(i)) return 0xffffffff;
  const costs = words + (<usize>(1 + charsets + letters) << 2);
  let sum: u32 = 0;
  let before: u32 = 0;
  let wasHigh = false;
  let wasLower = false;
  let wasLetter = false;
  let isAlone = false;
  for (let p = from; p < end && sum <= limit; p++) {
    const byte = <u32>load<u8>(p);
    const mapped = <u32>load<u8>(symbols + <usize>byte);
    const symbol = mapped & 127;
    const isLetter = symbol != 0 && symbol < count - 3;
    if (byte >= 0x80 || wasHigh) {
      if (symbol == NONE || before == NONE) sum += NONE_COST;
      else {
        const at = before * count + symbol;
        const nibbles = <u32>load<u8>(costs + <usize>(at >> 1));
        sum += <u32>load<u8>(LEVELS + <usize>((nibbles >> ((at & 1) << 2)) & 15));
        if (wasLower && mapped >= UPPER) sum += CASE_COST;
        if (isAlone && !isLetter) sum += CAPITAL_COST;
      }
    }
    isAlone = plain == 1 && byte >= 0x80 && mapped >= UPPER && !wasLetter;
    wasLetter = isLetter;
    wasLower = isLetter && mapped < UPPER;
    wasHigh = byte >= 0x80;
    before = symbol;
  }
  return sum;
}

/** The map for the current language's charset `i` in `symbols`; false without memory. */
function findMap(i: u32): bool {
  const number = firstMap + <usize>i;
  const maps = reserve(MAPS, MAP_BYTES * MOST_MAPS);
  if (maps == 0 || number >= MOST_MAPS) return false;
  symbols = maps + number * MAP_BYTES;
  if (load<u8>(made + number) == 0) mapBytes(charsetAt(i));
  store<u8>(made + number, 1);
  return true;
}

function mapBytes(charset: u32): void {
  for (let byte: u32 = 0; byte < 0x80; byte++) {
    const letter = (byte | 0x20) - 0x60;
    const isLetter = letter - 1 < 26;
    const symbol: u32 = isLetter ? (plain == 26 ? letter : 1) : 0;
    store<u8>(symbols + <usize>byte, <u8>(symbol | (isLetter && byte < 0x60 ? UPPER : 0)));
  }
  memory.fill(symbols + 0x80, <u8>NONE, 0x80);
  openIndex(charset - 1);
  while (nextEntry()) store<u8>(symbols + <usize>(entryPointer + 0x80), <u8>symbolOf(entryCode));
}

function symbolOf(code: u32): u32 {
  if (code < 0xa0) return NONE;
  const list = words + (<usize>(1 + charsets) << 2);
  for (let i: u32 = 0; i < letters; i++) {
    const letter = load<u32>(list + (<usize>i << 2));
    if ((letter & 0xffff) == code) return 1 + plain + i;
    if (letter >> 16 == code) return (1 + plain + i) | UPPER;
  }
  // The dotted capital I, whose small letter is ASCII's.
  if (code == 0x130 && plain == 26) return 9 | UPPER;
  if (isQuote(code)) return count - 3;
  return isSign(code) ? count - 2 : count - 1;
}

/** The no-break space, quotes, dashes, the ellipsis. */
function isQuote(code: u32): bool {
  return (code >= 0x2013 && code <= 0x2026 && code != 0x2020 && code != 0x2021 && code != 0x2022) || code == 0xa0 ||
    code == 0xab || code == 0xbb;
}

/** Signs of Latin-1 and the like, which pages in any language have. */
function isSign(code: u32): bool {
  return (code >= 0xa1 && code <= 0xbf && code != 0xaa && code != 0xb5 && code != 0xba) || code == 0xd7 || code == 0xf7 ||
    (code >= 0x2010 && code <= 0x203a) || code == 0x20ac || code == 0x2116 || code == 0x2122;
}
