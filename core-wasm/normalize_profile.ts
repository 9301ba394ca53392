/**
 * The rules that make a key of a URL, by name, each with an example. docs/NORMALISATION.md says why.
 * Invariant: the bits are those of assembly/url/profile.ts; a crawl's keys can only be compared when they were made by
 * the same profile.
 */

/** A rule as data: tests run the example, the documentation lists it. */
export interface RuleFacts {
  readonly bit: number;
  /** Recommended: part of DEFAULT_PROFILE. */
  readonly isDefault: boolean;
  /** A URL that the rule alone changes, and its key then; "" = it has none. */
  readonly example: readonly [input: string, key: string];
}

export const NORMALIZE_RULES = {
  /** The fragment isn't sent to the server. */
  dropFragment: { bit: 1, isDefault: true, example: ["http://e.org/a#b", "http://e.org/a"] },
  /** A URL with user name or password gets no key. */
  refuseUserinfo: { bit: 2, isDefault: true, example: ["http://u:p@e.org/", ""] },
  /** An escaped unreserved character is the character (RFC 3986 6.2.2.2). */
  decodeUnreserved: { bit: 4, isDefault: true, example: ["http://e.org/%7Eu?%61", "http://e.org/~u?a"] },
  /** Hexadecimal digits of escapes are upper case (RFC 3986 6.2.2.1). */
  upperCaseEscapes: { bit: 8, isDefault: true, example: ["http://e.org/%c3%a9", "http://e.org/%C3%A9"] },
  /** A `%` that escapes nothing is `%25`. */
  encodeStrayPercent: { bit: 16, isDefault: true, example: ["http://e.org/90%?5%", "http://e.org/90%25?5%25"] },
  /** Parameters are sorted by name, then by value; those that are alike keep their order. */
  sortQuery: { bit: 32, isDefault: true, example: ["http://e.org/?b=1&a=2&a=1", "http://e.org/?a=1&a=2&b=1"] },
  /** Parameters of assembly/url/tracking_parameters.ts go. */
  stripTracking: { bit: 64, isDefault: true, example: ["http://e.org/?utm_source=x&a=1", "http://e.org/?a=1"] },
  /** Nothing between two `&`, or at the ends, is no parameter. */
  dropEmptyParameters: { bit: 128, isDefault: true, example: ["http://e.org/?&a=1&&b=2&", "http://e.org/?a=1&b=2"] },
  /** A query without content is none. */
  dropEmptyQuery: { bit: 256, isDefault: true, example: ["http://e.org/a?", "http://e.org/a"] },
  /** Path and query in lower case (ASCII), escapes too. */
  lowerCase: { bit: 512, isDefault: false, example: ["http://e.org/A?B=%C3", "http://e.org/a?b=%c3"] },
  /** Session identifiers of Java, PHP, ASP and ColdFusion go (assembly/url/sessions.ts). */
  stripSessions: {
    bit: 1024,
    isDefault: false,
    example: ["http://e.org/?PHPSESSID=0123456789abcdef0123456789abcdef&a=1", "http://e.org/?a=1"],
  },
  /** `www.`, `www2.` ... before a name that still has a dot. */
  stripWww: { bit: 2048, isDefault: false, example: ["http://www2.e.org/", "http://e.org/"] },
  /** The dot that makes a host name absolute. */
  dropHostDot: { bit: 4096, isDefault: false, example: ["http://e.org./", "http://e.org/"] },
  /** A run of slashes in the path is one. */
  collapseSlashes: { bit: 8192, isDefault: false, example: ["http://e.org//a///b", "http://e.org/a/b"] },
  /** `index.html` and its like at the path's end (assembly/url/folding.ts). */
  dropIndexFile: { bit: 16384, isDefault: false, example: ["http://e.org/a/index.php", "http://e.org/a/"] },
  /** The slashes at the end of a path that is more than one slash. */
  dropTrailingSlash: { bit: 32768, isDefault: false, example: ["http://e.org/a/?b", "http://e.org/a?b"] },
} as const satisfies Readonly<Record<string, RuleFacts>>;

export type NormalizeRule = keyof typeof NORMALIZE_RULES;
export type NormalizeProfile = Readonly<Record<NormalizeRule, boolean>>;

const NAMES = Object.keys(NORMALIZE_RULES) as NormalizeRule[];

function profileOf(isOn: (name: NormalizeRule) => boolean): NormalizeProfile {
  return Object.fromEntries(NAMES.map((name) => [name, isOn(name)])) as NormalizeProfile;
}

/** Every rule off: the key is the WHATWG href. */
export const NO_RULES: NormalizeProfile = profileOf(() => false);

/** The recommended rules; the ones that keyVersion speaks of. A default port is dropped by URL parsing itself. */
export const DEFAULT_PROFILE: NormalizeProfile = profileOf((name) => NORMALIZE_RULES[name].isDefault);

/** Every rule on: fewest keys, and now and then two pages under one. */
export const GREEDY_PROFILE: NormalizeProfile = profileOf(() => true);

/** The word that the core takes. */
export function rulesOf(profile: NormalizeProfile): number {
  return NAMES.reduce((rules, name) => profile[name] ? rules | NORMALIZE_RULES[name].bit : rules, 0);
}
