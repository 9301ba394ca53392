/**
 * X-Robots-Tag: what `<meta name="robots">` says, as a header and so for every kind of document. Not in RFC 9309; read
 * as Google documents it: rules by commas, an agent's name before the rules that are for it alone.
 * Invariant: total, linear; what several headers say adds up.
 */

export interface RobotsTag {
  readonly noindex: boolean;
  readonly nofollow: boolean;
  readonly noarchive: boolean;
  /** Also as `max-snippet: 0`. */
  readonly nosnippet: boolean;
}

const NOTHING: RobotsTag = { noindex: false, nofollow: false, noarchive: false, nosnippet: false };

/** Rules with a value: their colon names no agent. */
const VALUED = new Set(["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"]);

const RULES: ReadonlyMap<string, Partial<RobotsTag>> = new Map([
  ["none", { noindex: true, nofollow: true }],
  ["noindex", { noindex: true }],
  ["nofollow", { nofollow: true }],
  ["noarchive", { noarchive: true }],
  ["nosnippet", { nosnippet: true }],
]);

/** A product token (RFC 9309 2.2.1, and digits and dots, which are in use), or `*`. */
const AGENT = /^(?:\*|[a-z_-][a-z0-9_.-]*)$/;

/** The rules for everybody and for the robot with this product token. */
export function robotsTag(headers: readonly (readonly [string, string])[], productToken: string): RobotsTag {
  let tag = NOTHING;
  for (const field of headers) {
    const name = field[0];
    if (name.length === 12 && name.toLowerCase() === "x-robots-tag") tag = withRules(tag, field[1], productToken);
  }
  return tag;
}

function withRules(before: RobotsTag, value: string, productToken: string): RobotsTag {
  const us = productToken.toLowerCase();
  let agent = "*";
  let tag = before;
  for (const part of value.toLowerCase().split(",")) {
    const colon = part.indexOf(":");
    const named = colon < 0 ? "" : part.slice(0, colon).trim();
    // A date that is written with commas has colons of its own, and spaces before them.
    const names = AGENT.test(named) && !VALUED.has(named);
    if (names) agent = named;
    if (agent !== "*" && agent !== "robots" && agent !== us) continue;
    const rule = (names ? part.slice(colon + 1) : part).trim();
    const found = /^max-snippet\s*:\s*0$/.test(rule) ? "nosnippet" : rule;
    tag = { ...tag, ...RULES.get(found) };
  }
  return tag;
}
