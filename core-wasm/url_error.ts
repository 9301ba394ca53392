/**
 * Why a URL was refused, in sentences. Invariant: the order is that of `url-error` in wit/core.wit and of
 * assembly/url/error.ts; code -n is the n-th case.
 */

const SENTENCES = {
  "relative": "it has no scheme and there is no base URL; an absolute URL is wanted",
  "opaque-base": "the base URL has an opaque path, so only a fragment can be resolved against it",
  "bad-base": "the base is no absolute URL",
  "host-missing": "it has no host where its scheme needs one",
  "host-code-point": "its host holds a character that no host may hold",
  "ipv4": "its host ends in a number but is no IPv4 address",
  "ipv6": "its host in brackets is no IPv6 address",
  "port": "its port is no number from 0 to 65535",
  "idna": "its host is no valid internationalised domain name (UTS 46)",
  "input-too-long": "it is longer than the parser's bound of 8 MiB",
  "no-room": "the core has no room for it",
  "not-http": "its scheme isn't http or https",
  "userinfo": "it carries a user name or password, which a crawler doesn't send",
  "url-too-long": "it is longer than the limit",
  "host-no-dns-name": "its host has a label that is empty or over 63 bytes, or is over 253 bytes, which DNS can't hold",
} as const;

export type UrlErrorCase = keyof typeof SENTENCES;

const CASES = Object.keys(SENTENCES) as UrlErrorCase[];
const SHOWN_CHARACTERS = 100;

/** The case of a negative status code of the raw door. */
export function caseOfCode(code: number): UrlErrorCase {
  return CASES[-1 - code] ?? "no-room";
}

/** Attempted, found, wanted. `maxBytes` is what "the limit" is. */
export function urlErrorSentence(input: string, errorCase: UrlErrorCase, maxBytes: number): string {
  const shown = input.length > SHOWN_CHARACTERS ? `${input.slice(0, SHOWN_CHARACTERS)}...` : input;
  const limit = errorCase === "url-too-long" ? ` of ${maxBytes} bytes` : "";
  return `Parsing the URL ${JSON.stringify(shown)} failed: ${SENTENCES[errorCase]}${limit}.`;
}
