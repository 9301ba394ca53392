/**
 * Opens a TCP or TLS connection to an address that the guard has passed.
 * Invariant: the socket is connected to the very address that was checked (nothing resolves a name a second time, so
 * rebinding has no hold), while SNI and the certificate check use the URL's host. IP literals never reach the resolver.
 */

import { connect as connectTcp, type Socket } from "node:net";
import type { Clock } from "../../runtime/ports.ts";
import type { AddressGuard } from "./address_guard.ts";
import { AddressRace, type Attempt } from "./address_race.ts";
import { connectFailure, endingFailure, type Trouble } from "./failures.ts";
import type { FetchTask } from "./fetch_task.ts";
import type { Origin } from "./fetch_target.ts";
import { parseAddress } from "../../protocol/ip_address.ts";
import { canonicalName } from "./resolve_override.ts";
import type { Resolver } from "./resolver.ts";
import { Routes } from "./routes.ts";
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

/** Addresses of one name that are tried within one connect timeout. */
const MAX_TRIES = 4;

type Connected = Omit<OpenSocket, "opening"> & { readonly tcpMs: number };

/** First of each family in turn (RFC 8305 4), so that a broken route costs one try. */
export function interleaved(addresses: readonly string[], sixFirst: boolean): string[] {
  const six = addresses.filter((one) => one.includes(":"));
  const four = addresses.filter((one) => !one.includes(":"));
  const [first, second] = sixFirst ? [six, four] : [four, six];
  return Array.from({ length: Math.max(six.length, four.length) }, (_, i) => [first[i], second[i]]).flat()
    .filter((one): one is string => one !== undefined);
}

export class SocketOpener {
  readonly #options: OpenerOptions;
  readonly #tls: TlsConnector;
  readonly #routes: Routes;

  constructor(options: OpenerOptions) {
    this.#options = options;
    this.#tls = new TlsConnector(options.trustedCa);
    this.#routes = new Routes(options.clock);
  }

  /** A connected socket, or why there is none. Rejects only for trouble of this machine's. */
  async open(task: FetchTask, origin: Origin, onlyOpened: boolean): Promise<OpenSocket | Trouble> {
    const { clock } = this.#options;
    const from = clock.monotonicMs();
    task.connectBy = Math.min(task.sendBy, from + task.limits.connectMs);
    try {
      const addresses = await this.#checkedAddresses(task, origin, onlyOpened);
      if (!Array.isArray(addresses)) return addresses;
      const connectBy = task.connectBy;
      const start = (address: string) => this.#attempt(origin, address);
      const race = new AddressRace<Connected>({ task, clock, origin: origin.origin, addresses, start });
      const won = await race.run();
      if ("failure" in won) return won;
      const { socket, remoteAddress, tcpMs } = won;
      // What permits took has moved the limit, and is no part of opening.
      const heldMs = task.connectBy === Infinity ? 0 : task.connectBy - connectBy;
      return { socket, remoteAddress, opening: { connectMs: clock.monotonicMs() - from - heldMs, tcpMs } };
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
        return late ? { ...trouble, failure: "dns", unanswered: true } : trouble;
      }
      if (!answer.ok) {
        const trouble = { failure: "dns", detail: answer.detail, sent: false } as const;
        return answer.unanswered === true ? { ...trouble, unanswered: true } : trouble;
      }
      candidates = interleaved(answer.addresses, this.#routes.hasIpv6());
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

  #attempt(origin: Origin, address: string): Attempt<Connected> {
    const { clock } = this.#options;
    const attempted = `Connecting to ${origin.origin} at ${address}`;
    const startedAt = clock.monotonicMs();
    let socket: Socket | undefined;
    const settled = new Promise<Connected | Trouble>((resolve, reject) => {
      const fail = (error: unknown) => {
        try {
          resolve({ ...connectFailure(error, origin.secure, attempted), remoteAddress: address });
        } catch (local) {
          reject(local);
        }
      };
      try {
        let tcpMs = 0;
        const opening = socket = this.#start(origin, address);
        const stands = () => resolve({ socket: opening, remoteAddress: address, tcpMs });
        // Of a TLS socket too, "connect" is the TCP handshake's end.
        opening.once("connect", () => {
          tcpMs = clock.monotonicMs() - startedAt;
          if (!origin.secure) stands();
        });
        if (origin.secure) opening.once("secureConnect", stands);
        // Stays for as long as the socket lives: a late error must find a listener.
        opening.on("error", fail);
        opening.once("close", () => fail(CLOSED));
      } catch (error) {
        fail(error);
      }
    });
    return { settled, cancel: () => void socket?.destroy() };
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
