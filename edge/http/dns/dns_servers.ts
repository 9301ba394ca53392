/**
 * Which DNS servers are asked: those that the operator names, else those of the system.
 * Invariant: a server is an IP address and a port; the system's list is read anew from time to time, as a machine moves
 * between networks.
 */

import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import type { Clock } from "../../../runtime/ports.ts";

export interface DnsServer {
  readonly address: string;
  readonly port: number;
}

const DNS_PORT = 53;
const REREAD_MS = 30_000;

/** Reads `IP`, `IPv4:port` or `[IPv6]:port`. Throws a sentence when it is none. */
export function parseDnsServer(text: string): DnsServer {
  const server = serverOf(text.trim());
  if (server !== undefined) return server;
  throw new Error(
    `Reading the DNS server "${text}" failed: wanted an IP address, with a port if need be: 192.0.2.1, 192.0.2.1:5353 ` +
      "or [2001:db8::1]:5353.",
  );
}

function serverOf(text: string): DnsServer | undefined {
  if (isIP(text) !== 0) return { address: text, port: DNS_PORT };
  const [, six, four, digits] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const address = six ?? four ?? "";
  const port = digits === undefined ? DNS_PORT : Number(digits);
  const isServer = isIP(address) === (six === undefined ? 4 : 6) && port > 0 && port < 65_536;
  return isServer ? { address, port } : undefined;
}

/** The servers that `texts` name; the system's where there are none. */
export function dnsServers(texts: readonly string[], clock: Clock): () => readonly DnsServer[] {
  if (texts.length > 0) {
    const fixed = texts.map(parseDnsServer);
    return () => fixed;
  }
  let known: readonly DnsServer[] = [];
  let readAt = -Infinity;
  return () => {
    const now = clock.monotonicMs();
    if (now - readAt >= REREAD_MS) [known, readAt] = [systemServers(), now];
    return known;
  };
}

/** A resolver of its own, since the module's reads the system's file once. Zones of link-local servers aren't understood. */
function systemServers(): DnsServer[] {
  const servers = [...new Set(new Resolver().getServers())].map(serverOf);
  return servers.filter((one): one is DnsServer => one !== undefined);
}
