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
