/**
 * The machine's own table of names, `/etc/hosts`: it comes before DNS, as everywhere on the machine.
 * Invariant: read again when it has changed, looked at no more often than once in a few seconds; a table that can't be
 * read is empty.
 */

import { readFileSync, statSync } from "node:fs";
import type { Clock } from "../../../runtime/ports.ts";
import { parseAddress } from "../../../protocol/ip_address.ts";
import { canonicalName } from "../resolve_override.ts";

const LOOK_MS = 5_000;
/** A larger one is no table that somebody wrote. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Addresses by name. A line: an address, then its names; `#` begins a comment. */
export function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const table = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [address, ...names] = line.split("#", 1)[0]!.trim().split(/\s+/);
    if (address === undefined || parseAddress(address) === undefined) continue;
    for (const name of names.map(canonicalName)) {
      const known = table.get(name);
      if (known === undefined) table.set(name, [address]);
      else if (!known.includes(address)) known.push(address);
    }
  }
  return table;
}

/** Where the table lies on this system. */
export function hostsPath(): string {
  const root = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.SystemRoot;
  return root === undefined ? "/etc/hosts" : `${root}\\System32\\drivers\\etc\\hosts`;
}

/** Looks names up in the table at `path`. */
export function hostsFile(path: string, clock: Clock): (name: string) => readonly string[] | undefined {
  let table: ReadonlyMap<string, readonly string[]> = new Map();
  let version = "";
  let lookedAt = -Infinity;
  return (name) => {
    const now = clock.monotonicMs();
    if (now - lookedAt >= LOOK_MS) {
      lookedAt = now;
      try {
        const { mtimeMs, size, ino } = statSync(path);
        const found = `${mtimeMs} ${size} ${ino}`;
        if (found !== version && size <= MAX_BYTES) table = parseHosts(readFileSync(path, "utf8"));
        version = found;
      } catch {
        [table, version] = [new Map(), ""];
      }
    }
    return table.get(name);
  };
}
