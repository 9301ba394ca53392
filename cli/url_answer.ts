/**
 * `outrider url`: one URL in, what the core knows of it out.
 * Invariant: total; any line gets facts or `{"error"}`, and `url` is the WHATWG href of any scheme.
 */

import type { Core, UrlRefused } from "../core-wasm/core.ts";
import { fingerprintToHex } from "../protocol/ids.ts";

/** As UrlFacts; what a URL doesn't have is "" (texts) or null (slot). */
export interface UrlAnswer {
  readonly url: string;
  readonly key: string;
  /** 16 hex digits. */
  readonly fingerprint: string;
  readonly surt: string;
  readonly host: string;
  readonly domain: string;
  readonly slot: number | null;
}

const WANTED = '{"input": string, "base"?: string} is wanted';

/** The answer to one line, parsed from JSON. */
export function answerUrl(core: Pick<Core, "url">, line: unknown): UrlAnswer | UrlRefused {
  if (typeof line !== "object" || line === null || Array.isArray(line)) {
    return { error: `Reading a URL question found no object; ${WANTED}.` };
  }
  const { input, base } = line as { readonly input?: unknown; readonly base?: unknown };
  if (typeof input !== "string") return { error: `Reading a URL question found no text as "input"; ${WANTED}.` };
  if (base !== undefined && base !== null && typeof base !== "string") {
    return { error: `Reading a URL question found something else than text as "base"; ${WANTED}.` };
  }
  const facts = core.url(input, base ?? undefined);
  if ("error" in facts) return { error: facts.error };
  return {
    url: facts.url,
    key: facts.key,
    fingerprint: facts.key === "" ? "" : fingerprintToHex(facts.fingerprint),
    surt: facts.surt,
    host: facts.host,
    domain: facts.domain,
    slot: facts.slot < 0 ? null : facts.slot,
  };
}
