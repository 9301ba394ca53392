/**
 * robots.txt of every kind, each with its own verdict written beside it by hand.
 * Invariant: `allows` never reads the text: it is what RFC 9309 makes of it, so that it can judge another's reading.
 */

import { hash32, TOPIC } from "./chance.ts";
import type { WebConfig } from "./config.ts";

export interface RobotsAnswer {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
  /** Send the rules from this path of the next host instead. */
  readonly redirectTo?: string;
  /** Close the connection without an answer. */
  readonly drop?: boolean;
  readonly gzip?: boolean;
  readonly retryAfterSeconds?: number;
}

export interface RobotsKind {
  readonly name: string;
  /** Answer to the n-th request (0 = the first). */
  readonly answer: (request: number) => RobotsAnswer;
  /** May a crawler of product token "outrider" fetch this canonical path? */
  readonly allows: (path: string) => boolean;
  /** The origin answers as unreachable for ever: nothing but robots.txt may be asked there. */
  readonly blocked?: boolean;
  /** RFC 9309 leaves the verdict open: what lies here is neither wanted nor forbidden. */
  readonly open?: boolean;
}

const isPrivate = (path: string) => path.startsWith("/private/");
const isOpen = (path: string) => path.startsWith("/private/open/");
const everything = () => true;
const nothing = () => false;

const ok = (body: string, more: Partial<RobotsAnswer> = {}) => () => ({ status: 200, body, ...more });
const status = (code: number) => () => ({ status: code, body: `status ${code}\n` });

const GROUPS = `# Groups, the more general one last
User-agent: OtherBot
User-agent: bot
Disallow: /

User-agent: *
Disallow: /private/
Allow: /private/open/
Sitemap: /sitemap.xml
`;

const OWN_GROUP = `User-agent: *
Disallow: /

User-agent: OUTRIDER
User-agent: third
Disallow: /private/

User-agent: outrider-news
Disallow: /
`;

const WILDCARDS = `user-agent: *
disallow: /*.cgi$   # scripts
disallow: /*?variable
disallow: /priv*te/
allow: /private/open/*.html$
`;

const PLAIN = "User-agent: *\nDisallow: /private/\n";
const ENCODED = "User-agent: *\nDisallow: /%70riv%61te/\nDisallow: /caf\u00e9\nDisallow: /%7eu\n";
const HUGE = "User-agent: other\n" + "Disallow: /filler/of/a/long/file/\n".repeat(12_000) + "\n" + PLAIN;
const PAGE = "<!DOCTYPE html><title>Not found</title><p>User-agent: * is no rule when it stands in a sentence.</p>";

const disallowPrivate = (path: string) => !isPrivate(path);

/** Under feature `robots`. The first is the kind of host 0. */
const STEADY: readonly RobotsKind[] = [
  { name: "groups", answer: ok(GROUPS), allows: (path) => !isPrivate(path) || isOpen(path) },
  { name: "own_group", answer: ok(OWN_GROUP), allows: disallowPrivate },
  {
    name: "wildcards",
    answer: ok(WILDCARDS),
    allows: (path) =>
      !path.endsWith(".cgi") && !path.includes("?variable") &&
      (!isPrivate(path) || /^\/private\/open\/.*\.html$/.test(path)),
  },
  { name: "absent", answer: status(404), allows: everything },
  { name: "bom_crlf", answer: ok(`\ufeff${PLAIN.replaceAll("\n", "\r\n")}`), allows: disallowPrivate },
  { name: "cr_only", answer: ok(PLAIN.replaceAll("\n", "\r")), allows: disallowPrivate },
  {
    name: "encoded",
    answer: ok(ENCODED),
    allows: (path) => !isPrivate(path) && !path.startsWith("/caf%C3%A9") && !path.startsWith("/~u"),
  },
  { name: "forbidden", answer: status(403), allows: everything },
  {
    name: "redirected",
    answer: () => ({ status: 302, body: "", redirectTo: "/shared/robots.txt" }),
    allows: disallowPrivate,
  },
  { name: "soft_404", answer: ok(PAGE, { type: "text/html" }), allows: everything },
  { name: "empty", answer: ok(""), allows: everything },
  { name: "huge", answer: ok(HUGE), allows: disallowPrivate },
  { name: "gzip", answer: ok(PLAIN, { gzip: true }), allows: disallowPrivate },
  { name: "deny_all", answer: ok("User-agent: *\nDisallow: /\n"), allows: nothing },
  { name: "gone", answer: status(410), allows: everything },
];

/** The rules that `redirected` hosts borrow. */
export const SHARED_RULES = PLAIN;

const RECOVERING: readonly RobotsKind[] = [{
  name: "recovering",
  answer: (request) =>
    request === 0 ? { status: 503, body: "busy\n", retryAfterSeconds: 1 } : { status: 200, body: PLAIN },
  allows: disallowPrivate,
}];

const BLOCKED: readonly RobotsKind[] = [
  {
    name: "loop",
    answer: () => ({ status: 301, body: "", redirectTo: "/loop/robots.txt" }),
    allows: everything,
    open: true,
  },
  { name: "unavailable", answer: status(503), allows: nothing, blocked: true },
  { name: "too_many", answer: status(429), allows: nothing, blocked: true },
  { name: "dropped", answer: () => ({ status: 0, body: "", drop: true }), allows: nothing, blocked: true },
];

const OPEN_WEB: RobotsKind = { name: "absent", answer: status(404), allows: everything };

/** The kinds of this web; host h has kind `robotsKindOf(h)`. */
export function robotsKinds(config: WebConfig): readonly RobotsKind[] {
  const kinds = config.features.includes("robots") ? [...STEADY] : [OPEN_WEB];
  if (config.features.includes("robots_recovering")) kinds.push(...RECOVERING);
  if (config.features.includes("robots_blocked")) kinds.push(...BLOCKED);
  return kinds;
}

/** Host 0 has the first kind; the next hosts go through all kinds, larger webs mix them by the seed. */
export function robotsKindOf(config: WebConfig, kinds: readonly RobotsKind[], host: number): RobotsKind {
  const index = host < kinds.length ? host : hash32(config.seed, TOPIC.robots, host) % kinds.length;
  return kinds[index]!;
}
