/**
 * Opens a TCP or TLS connection to an address that the guard has passed.
 * Invariant: the socket is connected to the very address that was checked (nothing resolves a name a second time, so
 * rebinding has no hold), while SNI and the certificate check use the URL's host. IP literals never reach the resolver.
 */

import { connect as connectTcp, type Socket } from "node:net";
import type { Clock } from "../../runtime/ports.ts";
import type { AddressGuard } from "./address_guard.ts";
import { connectFailure, endingFailure, notAdmitted, tooLate, type Trouble } from "./failures.ts";
import type { FetchTask } from "./fetch_task.ts";
import type { Origin } from "./fetch_target.ts";
import { parseAddress } from "../../protocol/ip_address.ts";
import { canonicalName } from "./resolve_override.ts";
import type { Resolver } from "./resolver.ts";
import { TlsConnector } from "./tls_connector.ts";

/** What opening a connection cost, in ms. */
export interface OpeningTimes {
  /** Name resolution, TCP and TLS, other addresses that were tried first included. */
  readonly connectMs: number;
  /** The TCP handshake with the address that answered. */
  readonly tcpMs: number;
}

export interface OpenSocket {
  readonly socket: Socket;
  readonly remoteAddress: string;
  readonly opening: OpeningTimes;
}

export interface OpenerOptions {
  readonly guard: AddressGuard;
  readonly resolver: Resolver;
  readonly clock: Clock;
  /** PEM certificates that are trusted in place of the system's. */
  readonly trustedCa?: string;
}

/** Addresses of one name that are tried, one after the other, within one connect timeout. */
const MAX_TRIES = 4;

interface Attempt {
  readonly socket: Socket;
  readonly remoteAddress: string;
  readonly tcpMs: number;
}

const NEXT_MAY_WORK: readonly string[] = ["connect_refused", "connect_timeout", "connect_reset"];

/** First of each family in turn, so that a broken IPv6 route costs one try (RFC 8305 4, without the race). */
export function interleaved(addresses: readonly string[]): string[] {
  const six = addresses.filter((one) => one.includes(":"));
  const four = addresses.filter((one) => !one.includes(":"));
  const [first, second] = addresses[0]?.includes(":") ? [six, four] : [four, six];
  return Array.from({ length: Math.max(six.length, four.length) }, (_, i) => [first[i], second[i]]).flat()
    .filter((one): one is string => one !== undefined);
}

export class SocketOpener {
  readonly #options: OpenerOptions;
  readonly #tls: TlsConnector;

  constructor(options: OpenerOptions) {
    this.#options = options;
    this.#tls = new TlsConnector(options.trustedCa);
  }

  /** A connected socket, or why there is none. Rejects only for trouble of this machine's. */
  async open(task: FetchTask, origin: Origin, onlyOpened: boolean): Promise<OpenSocket | Trouble> {
    const { clock } = this.#options;
    let from = clock.monotonicMs();
    let connectBy = Math.min(task.sendBy, from + task.limits.connectMs);
    task.connectBy = connectBy;
    try {
      const addresses = await this.#checkedAddresses(task, origin, onlyOpened);
      if (!Array.isArray(addresses)) return addresses;
      for (let i = 0;; i++) {
        const isLast = i + 1 >= addresses.length;
        if (task.admitAddress !== undefined) {
          // The time that the permit takes is nobody's connect time.
          const asked = clock.monotonicMs();
          task.connectBy = Infinity;
          const isAdmitted = await task.admits(addresses[i]!);
          const waitedMs = clock.monotonicMs() - asked;
          from += waitedMs;
          connectBy = Math.min(task.sendBy, connectBy + waitedMs);
          if (!isAdmitted && isLast) return notAdmitted(addresses[i]!, origin.origin);
          if (!isAdmitted) continue;
        }
        const now = clock.monotonicMs();
        if (now >= task.sendBy) return tooLate(origin.origin);
        task.connectBy = now + (connectBy - now) / (addresses.length - i);
        const tried = await this.#attempt(task, origin, addresses[i]!);
        if ("socket" in tried) {
          const { socket, remoteAddress, tcpMs } = tried;
          return { socket, remoteAddress, opening: { connectMs: clock.monotonicMs() - from, tcpMs } };
        }
        if (isLast || !NEXT_MAY_WORK.includes(tried.failure)) return tried;
        // This address had its share of the time; the next one gets its own.
        if (task.ended === "connect_timeout") task.ended = undefined;
      }
    } finally {
      task.connectBy = Infinity;
    }
  }

  async #checkedAddresses(task: FetchTask, origin: Origin, onlyOpened: boolean): Promise<string[] | Trouble> {
    const { guard, resolver } = this.#options;
    const { hostname } = origin;
    let candidates: readonly string[] = [hostname];
    if (parseAddress(hostname) === undefined) {
      const answer = await task.race(resolver.resolve(hostname));
      if (typeof answer === "string") {
        const late = answer === "connect_timeout";
        const trouble = endingFailure(answer, task, `Resolving ${hostname}`, false);
        return late ? { ...trouble, failure: "dns" } : trouble;
      }
      if (!answer.ok) return { failure: "dns", detail: answer.detail, sent: false };
      candidates = interleaved(answer.addresses);
    }
    const refusals = candidates.map((one) => guard.refusal(one, onlyOpened));
    const allowed = candidates.filter((_, i) => refusals[i] === undefined).slice(0, MAX_TRIES);
    if (allowed.length > 0) return allowed;
    return {
      failure: "address_refused",
      detail: `Fetching from ${origin.origin} ended before a packet was sent. ${refusals[0]}`,
      sent: false,
      remoteAddress: candidates[0]!,
    };
  }

  #attempt(task: FetchTask, origin: Origin, address: string): Promise<Attempt | Trouble> {
    const { clock } = this.#options;
    const attempted = `Connecting to ${origin.origin} at ${address}`;
    if (task.ended) {
      return Promise.resolve(endingFailure(task.ended, task, attempted, false));
    }
    return new Promise((resolve, reject) => {
      let settled = false;
      // A destroyed socket may still report; by then the task waits for something else.
      const settle = (work: () => void) => {
        if (settled) return;
        settled = true;
        task.onEnd = undefined;
        work();
      };
      const fail = (trouble: () => Trouble) =>
        settle(() => {
          try {
            resolve({ ...trouble(), remoteAddress: address });
          } catch (local) {
            reject(local);
          }
        });
      try {
        const startedAt = clock.monotonicMs();
        let tcpMs = 0;
        const socket = this.#start(origin, address);
        const stands = () => settle(() => resolve({ socket, remoteAddress: address, tcpMs }));
        // Of a TLS socket too, "connect" is the TCP handshake's end.
        socket.once("connect", () => {
          tcpMs = clock.monotonicMs() - startedAt;
          if (!origin.secure) stands();
        });
        if (origin.secure) socket.once("secureConnect", stands);
        // Stays for as long as the socket lives: a late error must find a listener.
        socket.on("error", (error) => fail(() => connectFailure(error, origin.secure, attempted)));
        socket.once("close", () => fail(() => connectFailure(CLOSED, origin.secure, attempted)));
        task.onEnd = (why) => {
          fail(() => endingFailure(why, task, attempted, true));
          socket.destroy();
        };
      } catch (error) {
        fail(() => connectFailure(error, origin.secure, attempted));
      }
    });
  }

  #start(origin: Origin, address: string): Socket {
    const { port } = origin;
    const socket = origin.secure
      ? this.#tls.connect({ address, port, ...serverNameOf(origin) })
      : connectTcp({ host: address, port });
    return socket.setNoDelay(true);
  }
}

/** What a connection that was closed while it was being opened is reported with. */
const CLOSED = Object.assign(new Error("the other side closed the connection"), { code: "ECONNRESET" });

/** SNI names a host; a literal has none (RFC 6066 3). */
function serverNameOf({ hostname }: Origin): { readonly serverName?: string } {
  return parseAddress(hostname) === undefined ? { serverName: canonicalName(hostname) } : {};
}
