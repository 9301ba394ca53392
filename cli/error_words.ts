/**
 * What the classes of `errors_by_class` mean, for a person. The class stays beside the words: docs/OUTPUT.md has it.
 */

import { type FailureClass, FAILURES } from "../protocol/mod.ts";

const WORDS: Readonly<Record<FailureClass, string>> = {
  dns: "no address for the name",
  connect_refused: "nobody listens there, or there is no way there",
  connect_timeout: "no connection within the time",
  connect_reset: "the connection was lost before an answer",
  tls: "no valid TLS",
  read_timeout: "the server fell silent",
  wall_timeout: "no answer within the time",
  http_429: "asked too often (429)",
  http_503: "unavailable (503)",
  http_5xx: "error of the server (5xx)",
  protocol: "what came is no HTTP",
  header_too_large: "too long a head",
  address_refused: "the address isn't public, and no --allow-address opens it",
  redirect_refused: "a redirect to what isn't crawled",
  redirect_loop: "redirects without an end",
  aborted: "given up on this side",
  bad_url: "a URL that can't be asked for",
  scan_failed: "the page couldn't be scanned",
};

const OTHER_WORDS: Readonly<Record<string, string>> = {
  http_4xx: "pages with a status 4xx",
  robots_unreachable: "robots.txt can't be read",
};

/** Begins the classes of robots.txt requests: nothing of the site is fetched without it. */
const ROBOTS = "robots_";

/** e.g. `robots.txt can't be had: no address for the name (robots_dns)`. */
export function errorWords(name: string): string {
  const ofRobots = name.startsWith(ROBOTS) ? name.slice(ROBOTS.length) : undefined;
  const failure = ofRobots ?? name;
  const words = Object.hasOwn(FAILURES, failure) ? WORDS[failure as FailureClass] : undefined;
  if (words === undefined) return Object.hasOwn(OTHER_WORDS, name) ? `${OTHER_WORDS[name]} (${name})` : name;
  return `${ofRobots === undefined ? "" : "robots.txt can't be had: "}${words} (${name})`;
}
