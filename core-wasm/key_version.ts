/**
 * The version of everything that a stored key depends on: normalisation, fingerprint, SURT, simhash, suffix list, and
 * what a page's scan finds. Invariant: bumped by hand together with KEY_GOLDENS whenever an answer changes;
 * tests/conformance/key_version_test.ts fails otherwise. Data of another version is refused, never misread.
 */

export const KEY_VERSION = 3;

/** XXH64, in hex, over the answers to some thousand URLs, texts and pages that the test makes up. */
export const KEY_GOLDENS = {
  urls: "48f94c34baf73220",
  texts: "2ab707fad6bb3b46",
  pages: "c1188daaa59d9b75",
} as const;

/** What keys are made by that is data, and of which no recipe meets every entry: the lists and tables themselves. */
export const KEY_DATA = {
  /** XXH64 over the names of assembly/url/tracking_parameters.ts. */
  tracking: "096f561cc323fe5d",
  /** XXH64 over the ASCII forms of hosts, one with each character that Unicode has or may yet have below U+32400. */
  hosts: "ffe03ad67bd5c15b",
  /** The package that carries the public suffix list, at one version. */
  suffixes: "tldts 7.6.0",
} as const;
