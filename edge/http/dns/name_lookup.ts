/**
 * The order in which a name is looked up: names that have their own rule, the hosts file, DNS, and the system for what
 * DNS doesn't serve.
 * Invariant: only DNS answers have TTLs; a name that never belongs to DNS isn't asked for there.
 */

import type { Clock } from "../../../runtime/ports.ts";
import { type Found, type Lookup, LookupFailure, systemLookup } from "../resolver.ts";
import { DnsClient } from "./dns_client.ts";
import { dnsServers } from "./dns_servers.ts";
import { hostsFile, hostsPath } from "./hosts_file.ts";

export interface NameLookupOptions {
  readonly clock: Clock;
  /** `IP[:port]` each; none = the system's servers. */
  readonly servers: readonly string[];
  /** Default: the system's. */
  readonly hostsPath?: string;
  readonly triesMs?: readonly number[];
}

export interface NameLookup {
  readonly lookup: Lookup;
  /** Ends what is under way: no socket and no timer is left. */
  close(): void;
}

const LOOPBACK: Found = { addresses: ["127.0.0.1", "::1"] };
/** RFC 6761 6.4 and RFC 7686: no server is to be asked for them. */
const NOWHERE = /(?:^|\.)(?:invalid|onion)$/;
/** The link's own names (RFC 6762), and those that the system completes or knows by other means. */
const SYSTEM_ONLY = /^[^.]+$|\.local$/;

/** The look-up that a crawl uses. Throws a sentence when a server can't be read. */
export function createNameLookup(options: NameLookupOptions): NameLookup {
  const { clock } = options;
  const servers = dnsServers(options.servers, clock);
  const inHostsFile = hostsFile(options.hostsPath ?? hostsPath(), clock);
  const client = new DnsClient({ clock, servers, ...(options.triesMs && { triesMs: options.triesMs }) });
  const isNamed = options.servers.length > 0;
  return {
    async lookup(name) {
      const listed = inHostsFile(name);
      if (listed !== undefined) return { addresses: listed };
      // RFC 6761 6.3: the loopback, whatever a server would say.
      if (name === "localhost" || name.endsWith(".localhost")) return LOOPBACK;
      if (NOWHERE.test(name)) throw new LookupFailure("ENOTFOUND", `${name} is a name that no server has`);
      // Servers that were named are asked for everything.
      const isSystems = !isNamed && (SYSTEM_ONLY.test(name) || servers().length === 0);
      return isSystems ? await systemLookup(name) : await client.lookup(name);
    },
    close: () => client.close(),
  };
}
