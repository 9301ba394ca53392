/**
 * The version of everything that a stored key depends on: normalisation, fingerprint, SURT, simhash, suffix list.
 * Invariant: bumped by hand together with KEY_GOLDEN whenever an answer changes; tests/conformance/url_key_version_test.ts
 * fails otherwise. Data of another version is refused, never misread.
 */

export const KEY_VERSION = 2;

/** XXH64 over the answers to a few hundred URLs that the test makes up, in hex. */
export const KEY_GOLDEN = "e0def3660a038376";
