/**
 * Registered domains by the public suffix list, private section included, and their slots. Cached, as a crawl asks for
 * the same hosts again and again. Invariant: the answer depends on the host and on the list that tldts carries only.
 */

import { getDomain } from "tldts";
import { slotOf } from "../protocol/slot.ts";

const CACHED_HOSTS = 65_536;
const LIST = { allowPrivateDomains: true, validateHostname: false } as const;

export interface Domain {
  readonly name: string;
  readonly slot: number;
}

export class RegisteredDomains {
  readonly #hash: (name: string) => bigint;
  /** Two generations: the older is dropped when the younger is full, so what is in use stays. */
  #young = new Map<string, Domain>();
  #old = new Map<string, Domain>();

  /** `hash` is the XXH64 of a string's UTF-8. */
  constructor(hash: (name: string) => bigint) {
    this.#hash = hash;
  }

  /** `host` is lower-case ASCII, IPv6 in brackets. An IP literal, bare name or public suffix is its own domain. */
  of(host: string): Domain {
    const known = this.#young.get(host);
    if (known) return known;
    const domain = this.#old.get(host) ?? this.#find(host);
    if (this.#young.size >= CACHED_HOSTS) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(host, domain);
    return domain;
  }

  #find(host: string): Domain {
    const name = registeredDomain(host);
    return { name, slot: slotOf(this.#hash(name)) };
  }
}

/** See Domain; not cached. */
export function registeredDomain(host: string): string {
  if (host.startsWith("[")) return host;
  const dotless = host.endsWith(".") ? host.slice(0, -1) : host;
  // An empty label: no name of DNS, so of no list either.
  if (dotless.startsWith(".") || dotless.includes("..")) return dotless;
  return getDomain(dotless, LIST) ?? dotless;
}
