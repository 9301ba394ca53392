/**
 * Facts about single URLs, by the typed door. Invariant: never throws on input; the platform's URL class isn't asked.
 */

import type { UrlFacts, UrlRefused } from "./core.ts";
import { errorCase } from "./instance.ts";
import type { CoreSlot } from "./instance.ts";
import type { RegisteredDomains } from "./registered_domain.ts";
import { urlErrorSentence } from "./url_error.ts";

export interface UrlRules {
  /** Longest http(s) URL, bytes of its WHATWG serialisation without fragment. */
  readonly maxBytes: number;
  /** See rulesOf(NormalizeProfile). */
  readonly rules: number;
}

/** No slot: the URL has no host that is crawled. */
const NO_SLOT = -1;

/** See Core.url. */
export function urlFacts(
  slot: CoreSlot,
  domains: RegisteredDomains,
  { maxBytes, rules }: UrlRules,
  { input, base }: { readonly input: string; readonly base?: string | undefined },
): UrlFacts | UrlRefused {
  try {
    const found = slot.run(({ typed }) => typed.urls.facts(input, base, maxBytes, rules));
    const domain = found.host === "" ? undefined : domains.of(found.host);
    return {
      url: found.href,
      key: found.key,
      fingerprint: found.fingerprint,
      surt: found.surt,
      host: found.host,
      domain: domain?.name ?? "",
      slot: domain?.slot ?? NO_SLOT,
    };
  } catch (error) {
    const why = errorCase(error);
    if (why === undefined) throw error;
    return { error: urlErrorSentence(why === "bad-base" ? base ?? "" : input, why, maxBytes) };
  }
}
