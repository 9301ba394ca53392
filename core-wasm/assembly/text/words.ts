/**
 * Which characters beyond ASCII make up words, by ranges of Unicode blocks: no table to age with Unicode's versions.
 * Latin, Greek, Cyrillic and other scripts keep their case: folding it needs tables, and near-duplicates seldom differ by it.
 */

/** Whether a character above U+007F belongs to a word: not punctuation, not a space, not a symbol of these blocks. */
export function isWordCharacter(code: u32): bool {
  // Latin-1: only the ordinal indicators and the micro sign are letters below U+00C0.
  if (code < 0xc0) return code == 0xaa || code == 0xb5 || code == 0xba;
  if (code == 0xd7 || code == 0xf7) return false;
  // General Punctuation up to Miscellaneous Symbols and Arrows.
  if (code >= 0x2000 && code < 0x2c00) return (code >= 0x2070 && code < 0x20a0) || (code >= 0x2100 && code < 0x2190);
  if (code >= 0x2e00 && code < 0x2e80) return false;
  // CJK symbols and punctuation; vertical and small forms; halfwidth and fullwidth punctuation.
  if (code >= 0x3000 && code < 0x3040) return code >= 0x3005 && code < 0x3008;
  if (code >= 0xfe00 && code < 0xfe70) return false;
  if (code >= 0xff00 && code < 0xfff0) return isWideLetter(code);
  return code < 0x1f000 || code >= 0x20000;
}

function isWideLetter(code: u32): bool {
  return (code >= 0xff10 && code <= 0xff19) || (code >= 0xff21 && code <= 0xff3a) || (code >= 0xff41 && code <= 0xff5a) ||
    (code >= 0xff66 && code <= 0xffdc);
}

/** Whether a character is a word by itself: scripts written without spaces. Hangul has spaces. */
export function standsAlone(code: u32): bool {
  if (code < 0xe00) return false;
  // Thai, Lao; Myanmar; Khmer.
  if (code < 0x1100) return code < 0xf00 || (code >= 0x1000 && code < 0x10a0);
  if (code < 0x2e80) return code >= 0x1780 && code < 0x1800;
  // Radicals, kana, bopomofo, ideographs (Hangul compatibility letters left out).
  if (code < 0xa000) {
    return code < 0x3000 || (code >= 0x3041 && code < 0x3130) || (code >= 0x31a0 && code < 0x3200) || code >= 0x3400 ||
      (code >= 0x3005 && code < 0x3008);
  }
  return (code >= 0xf900 && code < 0xfb00) || (code >= 0xff66 && code < 0xffa0) || (code >= 0x20000 && code < 0x40000);
}
