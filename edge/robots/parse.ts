/**
 * robots.txt -> the rules for one robot (RFC 9309 2.2), which are all that is kept of it.
 * Groups that name the robot are merged (2.2.1); without one, the groups for `*` count; a crawl delay binds the robots
 * named above it in its group; sitemaps belong to nobody.
 * Invariant: total and linear; what is kept is bounded by LIMITS.robotsBytes; no kept text holds the body in memory.
 */

import { LIMITS } from "../../protocol/limits.ts";
import { decodeRobotsBody } from "./body.ts";
import { canonicalPattern } from "./encoding.ts";
import { readLine } from "./line.ts";
import { namedAgent } from "./product_token.ts";

export interface Rule {
  readonly allow: boolean;
  /** In the spelling of encoding.ts; its length in octets is the rule's weight. */
  readonly pattern: string;
  /** As it stands in the file. */
  readonly value: string;
  /** 1-based. */
  readonly line: number;
}

export interface RobotsRules {
  /** Longest pattern first; at equal length Allow first, then by line: the first that matches decides. */
  readonly rules: readonly Rule[];
  /** Crawl-delay, ms, as stated (at most a day); undefined when none is. Not in RFC 9309. */
  readonly crawlDelayMs: number | undefined;
  /** Values of the Sitemap lines as they stand, without repeats. */
  readonly sitemaps: readonly string[];
}

/** Sitemap lines that are kept. */
const MAX_SITEMAPS = 1000;
/** Longer delays mean the same as this: a day is far beyond any that is honoured. */
const MAX_DELAY_S = 86_400;

interface Group {
  readonly rules: Rule[];
  delayMs: number | undefined;
}

/** Collects the groups of the few names that matter. */
class GroupCollector {
  readonly groups = new Map<string, Group>();
  /** Names of the group being read, as far as they matter. */
  #current = new Set<Group>();
  #wanted: ReadonlySet<string>;
  /** A rule was read: the next User-agent line begins a new group. */
  #closed = true;

  constructor(names: readonly string[]) {
    this.#wanted = new Set([...names, "*"]);
  }

  agent(value: string): void {
    if (this.#closed) this.#current = new Set();
    this.#closed = false;
    const name = namedAgent(value);
    if (name === undefined || !this.#wanted.has(name)) return;
    let group = this.groups.get(name);
    if (!group) this.groups.set(name, group = { rules: [], delayMs: undefined });
    this.#current.add(group);
  }

  rule(allow: boolean, value: string, line: number): void {
    this.#closed = true;
    // An empty path says nothing; a path begins with "/" or a wildcard (RFC 9309 2.2).
    if (this.#current.size === 0 || !/^[/*]/.test(value)) return;
    const rules = [{ allow, pattern: canonicalPattern(value), value, line }];
    // Google: who allows a folder's index page allows the folder's own URL.
    const folder = allow ? /^(.*\/)index\.htm[^/]*$/.exec(value)?.[1] : undefined;
    if (folder !== undefined) rules.push({ allow, pattern: `${canonicalPattern(folder)}$`, value, line });
    for (const group of this.#current) group.rules.push(...rules);
  }

  /** Not in RFC 9309; the first one counts for each robot. */
  delay(value: string): void {
    const seconds = /^\d+(\.\d*)?|^\.\d+/.exec(value)?.[0];
    if (seconds === undefined) return;
    const delayMs = Math.round(Math.min(Number(seconds), MAX_DELAY_S) * 1000);
    for (const group of this.#current) group.delayMs ??= delayMs;
  }
}

/**
 * Parses `body` (text, or bytes as received) for the robot with this product token, or with the first of several names
 * that has a group of its own. Tokens are compared without case.
 */
export function parseRobots(body: string | Uint8Array, productToken: string | readonly string[]): RobotsRules {
  const names = (typeof productToken === "string" ? [productToken] : productToken).map((name) => name.toLowerCase());
  const collector = new GroupCollector(names);
  const sitemaps = new Set<string>();
  let number = 0;
  for (const text of linesOf(typeof body === "string" ? bounded(body) : decodeRobotsBody(body))) {
    number++;
    const line = readLine(text);
    if (line === undefined) continue;
    if (line.key === "user-agent") collector.agent(line.value);
    else if (line.key === "allow" || line.key === "disallow") {
      collector.rule(line.key === "allow", detached(line.value), number);
    } else if (line.key === "crawl-delay") collector.delay(line.value);
    else if (line.key === "sitemap" && line.value !== "" && sitemaps.size < MAX_SITEMAPS) {
      sitemaps.add(detached(line.value));
    }
  }
  const name = names.find((one) => collector.groups.has(one)) ?? "*";
  const group = collector.groups.get(name);
  return {
    rules: (group?.rules ?? []).sort(byWeight),
    crawlDelayMs: group?.delayMs,
    sitemaps: [...sitemaps],
  };
}

/** The longest match wins, and Allow at equal length (RFC 9309 2.2.2). */
function byWeight(a: Rule, b: Rule): number {
  return b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow) || a.line - b.line;
}

/** Lines end with LF, CR or both (RFC 9309 2.2: EOL). */
function* linesOf(text: string): Generator<string> {
  let start = 0;
  for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) {
    yield text.slice(start, index);
    start = index + end.length;
  }
  yield text.slice(start);
}

function bounded(text: string): string {
  let start = 0;
  while (text.charCodeAt(start) === 0xfeff) start++;
  const bare = text.slice(start);
  if (bare.length <= LIMITS.robotsBytes / 3) return bare;
  const bytes = new TextEncoder().encode(bare);
  return bytes.length <= LIMITS.robotsBytes ? bare : decodeRobotsBody(bytes);
}

/** A copy: engines let a slice keep the text that it was cut from, here up to 512 KiB for a few bytes. */
function detached(value: string): string {
  return JSON.parse(JSON.stringify(value)) as string;
}
