/**
 * `outrider robots`: one question about a robots.txt file, one answer.
 * `agent` is a product token, a whole user agent string (its words are tried in order, see agentNames), or a list of
 * names of one robot, of which the first that has a group counts.
 * Invariant: total; any JSON value gets an answer or `{"error"}`. A URL, or a path, is judged as it would be asked for:
 * parsed by the URL Standard, `..` and backslashes resolved. A crawl has nothing but such URLs.
 */

import type { Core } from "../core-wasm/core.ts";
import { agentNames, decide, parseRobots } from "../edge/robots/mod.ts";

export interface RobotsAnswer {
  readonly allowed: boolean;
  /** e.g. `Disallow: /private/`; null when no rule matches. */
  readonly rule: string | null;
  readonly line: number | null;
  /** Seconds; null when none is stated for this robot. */
  readonly crawl_delay: number | null;
  readonly sitemaps: readonly string[];
}

export interface RobotsRefusal {
  /** A sentence. */
  readonly error: string;
}

const WANTED = '{"robots" or "robots_base64", "agent", "url"}';

function refused(found: string): RobotsRefusal {
  return { error: `Reading a robots question: found ${found}, wanted ${WANTED}.` };
}

function bodyOf(question: Record<string, unknown>): string | Uint8Array | undefined {
  if (typeof question.robots === "string") return question.robots;
  if (typeof question.robots_base64 !== "string") return undefined;
  try {
    return Uint8Array.from(atob(question.robots_base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function namesOf(agent: unknown): string[] | undefined {
  if (typeof agent === "string") return agentNames(agent);
  if (!Array.isArray(agent) || !agent.every((name) => typeof name === "string")) return undefined;
  return [...new Set(agent.flatMap(agentNames))];
}

/** What a path alone is resolved against: no rule sees it. */
const ANY_HOST = "http://host.invalid/";

/** The URL as it would be asked for; what is neither a URL nor a path stays as it is (a host name and a path). */
function askedFor(core: Pick<Core, "url">, url: string): string {
  const facts = /^(?:https?:|[/\\])/i.test(url) ? core.url(url, ANY_HOST) : undefined;
  return facts === undefined || "error" in facts ? url : facts.url;
}

/** Answers one question, already read from JSON: `{"robots"|"robots_base64", "agent", "url"}`. */
export function answerRobots(core: Pick<Core, "url">, line: unknown): RobotsAnswer | RobotsRefusal {
  if (typeof line !== "object" || line === null) return refused("JSON that isn't an object");
  const question = line as Record<string, unknown>;
  const body = bodyOf(question);
  if (body === undefined) return refused('neither "robots" (text) nor "robots_base64" (base64)');
  const names = namesOf(question.agent);
  if (names === undefined) return refused('an "agent" that is no string or list of strings');
  if (typeof question.url !== "string") return refused('a "url" that is no string');
  const rules = parseRobots(body, names);
  const { allowed, rule, line: number } = decide(rules, askedFor(core, question.url));
  return {
    allowed,
    rule: rule ?? null,
    line: number ?? null,
    crawl_delay: rules.crawlDelayMs === undefined ? null : rules.crawlDelayMs / 1000,
    sitemaps: rules.sitemaps,
  };
}
