/**
 * The rules that make a key of a URL, by name. Invariant: the bits are those of assembly/url/profile.ts; a crawl's keys
 * can only be compared when they were made by the same profile.
 */

const BITS = {
  /** `#...` isn't sent to the server. */
  dropFragment: 1,
  /** A URL with user name or password gets no key. */
  refuseUserinfo: 2,
  /** `%70` is `p` (RFC 3986 6.2.2.2). */
  decodeUnreserved: 4,
  /** `%c3` is `%C3` (RFC 3986 6.2.2.1). */
  upperCaseEscapes: 8,
  /** A `%` that escapes nothing is `%25`. */
  encodeStrayPercent: 16,
  /** Stable, by name, then by value. */
  sortQuery: 32,
  /** assembly/url/tracking_parameters.ts */
  stripTracking: 64,
  /** `a=1&&b=2` is `a=1&b=2`. */
  dropEmptyParameters: 128,
  /** `/?` is `/`. */
  dropEmptyQuery: 256,
} as const;

export type NormalizeRule = keyof typeof BITS;
export type NormalizeProfile = Readonly<Record<NormalizeRule, boolean>>;

/** All rules; the one that keyVersion speaks of. A default port is dropped by URL parsing itself. */
export const DEFAULT_PROFILE: NormalizeProfile = {
  dropFragment: true,
  refuseUserinfo: true,
  decodeUnreserved: true,
  upperCaseEscapes: true,
  encodeStrayPercent: true,
  sortQuery: true,
  stripTracking: true,
  dropEmptyParameters: true,
  dropEmptyQuery: true,
};

/** The word that the core takes. */
export function rulesOf(profile: NormalizeProfile): number {
  return (Object.keys(BITS) as NormalizeRule[]).reduce((rules, name) => profile[name] ? rules | BITS[name] : rules, 0);
}
