/** Charsets by number; charset_ids.ts has their names. 1 to 27 are single-byte, in the order of the packed indexes. */

export const UTF_8: u32 = 0;
export const LAST_SINGLE: u32 = 27;
export const GBK: u32 = 28;
export const GB18030: u32 = 29;
export const BIG5: u32 = 30;
export const EUC_JP: u32 = 31;
export const ISO_2022_JP: u32 = 32;
export const SHIFT_JIS: u32 = 33;
export const EUC_KR: u32 = 34;
export const UTF_16LE: u32 = 35;
export const UTF_16BE: u32 = 36;
export const REPLACEMENT: u32 = 37;
export const X_USER_DEFINED: u32 = 38;

/** Single-byte charsets that the detector answers or that are named in code. */
export const MACINTOSH: u32 = 16;
export const WINDOWS_874: u32 = 17;
export const WINDOWS_1252: u32 = 20;

/** Packed indexes (indexes_data.ts): 0 to 26 single-byte, then these. */
export const INDEX_GB18030: u32 = 27;
export const INDEX_BIG5: u32 = 28;
export const INDEX_EUC_KR: u32 = 29;
export const INDEX_JIS0208: u32 = 30;
export const INDEX_JIS0212: u32 = 31;
/** Full-width twins of U+FF61 to U+FF9F. */
export const INDEX_KATAKANA: u32 = 32;
