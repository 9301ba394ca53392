/**
 * `--resolve HOST=ADDR[,ADDR]`: names whose addresses the operator gives, so that no resolver is asked.
 * Invariant: an exact name wins over `*.suffix`, a longer suffix over a shorter one; `*.suffix` covers every depth
 * below the suffix, not the suffix itself. Overridden addresses pass the guard like any other.
 */

import { parseAddress } from "../../protocol/ip_address.ts";

export interface ResolveOverride {
  /** Lower-case name, or `*.suffix`. */
  readonly host: string;
  readonly addresses: readonly string[];
}

/** Lower-case, without the root's dot. */
export function canonicalName(host: string): string {
  const lower = host.toLowerCase();
  return lower.endsWith(".") ? lower.slice(0, -1) : lower;
}

/** Reads one `HOST=ADDR[,ADDR]`. Throws a sentence when it isn't one. */
export function parseResolveOverride(text: string): ResolveOverride {
  const [host, list, ...rest] = text.split("=");
  const addresses = (list ?? "").split(",").map((one) => one.trim().replace(/^\[(.*)\]$/, "$1"));
  const named = /^(\*\.)?[^\s*/:[\]]+$/.test(host ?? "");
  if (!named || rest.length > 0 || addresses.some((one) => parseAddress(one) === undefined)) {
    throw new Error(
      `Reading the host and address "${text}" failed: wanted HOST=ADDRESS or *.SUFFIX=ADDRESS, addresses by commas.`,
    );
  }
  return { host: canonicalName(host!), addresses };
}

/** Looks a name up among `overrides`; undefined when none covers it. */
export function overrideFinder(overrides: readonly ResolveOverride[]): (name: string) => readonly string[] | undefined {
  const table = new Map(overrides.map((one) => [one.host, one.addresses]));
  return (name) => {
    const exact = table.get(name);
    if (exact) return exact;
    for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) {
      const found = table.get(`*${name.slice(dot)}`);
      if (found) return found;
    }
    return undefined;
  };
}
