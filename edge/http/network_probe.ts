/**
 * The NetworkProbe port on the system's sockets and a look-up of names.
 * Invariant: a connection is closed as soon as it stands; no byte is sent on it.
 */

import { connect } from "node:net";
import type { Clock, Random } from "../../runtime/ports.ts";
import type { NetworkProbe } from "../ports.ts";
import { type Found, isAnswer, type Lookup, type LookupFailure, systemLookup } from "./resolver.ts";

/** A zone that is there as long as there is a DNS; it isn't signed, so no resolver makes up "no such name" from its cache. */
const ZONE = "root-servers.net";

export interface NetworkProbeOptions {
  readonly clock: Clock;
  /** Makes the name that nobody has asked for. */
  readonly random: Random;
  readonly lookup?: Lookup;
}

/** The probe, and the look-up to resolve with: by it the probe knows when a resolver has answered. */
export function createNetworkProbe(
  { clock, random, lookup = systemLookup }: NetworkProbeOptions,
): { readonly probe: NetworkProbe; readonly lookup: Lookup } {
  let resolvedAt = -Infinity;
  const watched: Lookup = async (name) => {
    try {
      const found = await lookup(name);
      if (isFromDns(found)) resolvedAt = clock.monotonicMs();
      return found;
    } catch (error) {
      if (isAnswer(error) && isFromDns(error as LookupFailure)) resolvedAt = clock.monotonicMs();
      throw error;
    }
  };
  const within = async (work: Promise<boolean>, ms: number): Promise<boolean> => {
    const done = new AbortController();
    try {
      return await Promise.race([work, clock.sleep(ms, done.signal).then(() => false)]);
    } finally {
      done.abort();
    }
  };
  const answers = (name: string) => watched(name).then(() => true, (error) => isAnswer(error));
  const probe: NetworkProbe = {
    resolvedAt: () => resolvedAt,
    connects: (address, port, ms) => connects(address, port, (work) => within(work, ms)),
    resolves: (ms) => within(answers(`${random.hex(8)}.${ZONE}`), ms),
    knows: (names, ms) => within(anyOf(names.map(answers)), ms),
  };
  return { probe, lookup: watched };
}

/** Only what a DNS server said has a TTL; the rest needn't have left this machine. */
function isFromDns({ ttlMs }: Found | LookupFailure): boolean {
  return ttlMs !== undefined;
}

/** True as soon as one of them is. */
function anyOf(all: readonly Promise<boolean>[]): Promise<boolean> {
  return new Promise((resolve) => {
    for (const one of all) one.then((is) => is && resolve(true));
    Promise.all(all).then((answers) => resolve(answers.includes(true)));
  });
}

async function connects(
  address: string,
  port: number,
  within: (work: Promise<boolean>) => Promise<boolean>,
): Promise<boolean> {
  let socket: ReturnType<typeof connect> | undefined;
  try {
    return await within(
      new Promise((resolve) => {
        socket = connect({ host: address, port });
        socket.once("connect", () => resolve(true));
        socket.on("error", () => resolve(false));
        socket.once("close", () => resolve(false));
      }),
    );
  } catch {
    return false;
  } finally {
    socket?.destroy();
  }
}
