/**
 * The rules that make a key of a URL, each with its bit. ../../normalize_profile.ts gives them their names.
 * Invariant: whatever is switched on, normalising twice gives what normalising once gives.
 */

export const DROP_FRAGMENT: u32 = 1;
export const REFUSE_USERINFO: u32 = 2;
export const DECODE_UNRESERVED: u32 = 4;
export const UPPER_CASE_ESCAPES: u32 = 8;
export const ENCODE_STRAY_PERCENT: u32 = 16;
export const SORT_QUERY: u32 = 32;
export const STRIP_TRACKING: u32 = 64;
export const DROP_EMPTY_PARAMETERS: u32 = 128;
export const DROP_EMPTY_QUERY: u32 = 256;

// Off by default: each takes two resources for one where a server tells them apart.
export const LOWER_CASE: u32 = 512;
export const STRIP_SESSIONS: u32 = 1024;
export const STRIP_WWW: u32 = 2048;
export const DROP_HOST_DOT: u32 = 4096;
export const COLLAPSE_SLASHES: u32 = 8192;
export const DROP_INDEX_FILE: u32 = 16384;
export const DROP_TRAILING_SLASH: u32 = 32768;

/** Rules of which a URL without escapes, query and fragment may be a case. */
export const ON_HOST: u32 = STRIP_WWW | DROP_HOST_DOT;
export const ON_PATH: u32 = LOWER_CASE | STRIP_SESSIONS | COLLAPSE_SLASHES | DROP_INDEX_FILE | DROP_TRAILING_SLASH;

/** What a SURT's query is made by: as keys, but no tracking parameter is left out, as archives are asked for them. */
export const SURT_QUERY_RULES: u32 = (0x1ff & ~STRIP_TRACKING) | LOWER_CASE | STRIP_SESSIONS;
