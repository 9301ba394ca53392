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

/** For SURTs only: all letters in lower case before the query is sorted, and sessions.ts. */
export const LOWER_CASE: u32 = 512;
export const STRIP_SESSIONS: u32 = 1024;

/** What SURTs are made by: as keys, but no tracking parameter is left out, as archives are asked for them. */
export const SURT_RULES: u32 = (0x1ff & ~STRIP_TRACKING) | LOWER_CASE | STRIP_SESSIONS;
