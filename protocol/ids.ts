/**
 * Names of things that cross the wire, and the one spelling of a fingerprint.
 * Invariant: a fingerprint is an unsigned 64-bit bigint in memory and 16 lower-case hex digits on the wire.
 */

/** Identifies one crawl; `[a-z0-9_-]{1,64}`. `default` is the crawl that seeds join when none is named. */
export type CrawlId = string;
/** Identifies one lease; unique for ever within a shard. */
export type LeaseId = string;
/** Identifies one edge process; `[A-Za-z0-9._-]{1,64}`. Also the first segment of its storage keys in a fleet. */
export type WorkerId = string;
/**
 * Lower-case ASCII hostname without port and without the root's dot (IPv6 in brackets): what politeness clocks are kept
 * by. `e.org.` and `e.org` are one host in the DNS.
 */
export type HostKey = string;
/** `scheme://host[:port]` without default port: what robots.txt is kept by (RFC 9309 2.3). */
export type Origin = string;
/** XXH64 (seed 0) of a normalised URL's UTF-8. */
export type Fingerprint = bigint;

/** The key of a URL's hostname. */
export function hostKeyOf(hostname: string): HostKey {
  return hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
}

/** The origin of a WHATWG href of an http(s) URL without userinfo. Both sides keep robots.txt by it, so both ask here. */
export function originOf(href: string): Origin {
  const authority = href.indexOf("://") + 3;
  const end = href.slice(authority).search(/[/?#]/);
  return end < 0 ? href : href.slice(0, authority + end);
}

/** The host of such a href. The runtimes' parsers refuse some hosts that the core takes (docs/NORMALISATION.md), so none is asked. */
export function hostOfHref(href: string): HostKey {
  const origin = originOf(href);
  return hostKeyOf(origin.slice(origin.indexOf("://") + 3).replace(/:\d*$/, ""));
}

const U64_MAX = (1n << 64n) - 1n;

/** 16 lower-case hex digits, big-endian. */
export function fingerprintToHex(fingerprint: Fingerprint): string {
  return (fingerprint & U64_MAX).toString(16).padStart(16, "0");
}

/** The fingerprint that `hex` spells, or undefined when it isn't 16 hex digits. */
export function fingerprintFromHex(hex: string): Fingerprint | undefined {
  return /^[0-9a-f]{16}$/.test(hex) ? BigInt(`0x${hex}`) : undefined;
}

/** Whether the edge of this name (its token's) speaks for the worker: it is called so, or begins with the name and a dot. */
export function isWorkerOf(name: string, worker: WorkerId): boolean {
  return worker === name || worker.startsWith(`${name}.`);
}
