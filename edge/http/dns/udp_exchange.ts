/**
 * Datagrams to DNS servers: many queries share one socket.
 * Invariant: a socket's port is the system's random choice and serves a bounded number of queries, ids are random, and
 * only a server that was asked is listened to (RFC 5452 4); a socket is closed when its last query has ended.
 */

import { createSocket, type Socket } from "node:dgram";
import { randomInt } from "node:crypto";
import { messageId } from "./dns_message.ts";
import type { DnsServer } from "./dns_servers.ts";

/** Queries that one port sends in its life. */
const QUERIES_PER_SOCKET = 128;

type OnMessage = (bytes: Uint8Array, from: DnsServer) => void;

/** One query's share of a socket. */
export interface UdpSeat {
  readonly id: number;
  /** Calls back with an error that says why it couldn't be sent, if it couldn't. */
  send(bytes: Uint8Array, to: DnsServer, failed: (error: Error) => void): void;
  /** Nothing is listened to any more. */
  leave(): void;
}

/** Sockets of one family. */
export class UdpExchange {
  readonly #family: "udp4" | "udp6";
  readonly #shared = new Set<SharedSocket>();
  #newest: SharedSocket | undefined;

  constructor(family: "udp4" | "udp6") {
    this.#family = family;
  }

  seat(onMessage: OnMessage): UdpSeat {
    if (this.#newest === undefined || !this.#newest.hasRoom) {
      const socket: SharedSocket = new SharedSocket(this.#family, () => this.#shared.delete(socket));
      this.#shared.add(this.#newest = socket);
    }
    return this.#newest.seat(onMessage);
  }
}

class SharedSocket {
  readonly #socket: Socket;
  readonly #listeners = new Map<number, OnMessage>();
  readonly #onGone: () => void;
  #served = 0;
  #closed = false;

  constructor(family: "udp4" | "udp6", onGone: () => void) {
    this.#onGone = onGone;
    this.#socket = createSocket(family);
    this.#socket.on("message", (bytes: Uint8Array, { address, port }) => {
      const id = messageId(bytes);
      if (id !== undefined) this.#listeners.get(id)?.(bytes, { address, port });
    });
    // Queries on it end by their timeouts, or were told when they were sent.
    this.#socket.on("error", () => this.#close());
  }

  get hasRoom(): boolean {
    return !this.#closed && this.#served < QUERIES_PER_SOCKET;
  }

  seat(onMessage: OnMessage): UdpSeat {
    this.#served++;
    let id = randomInt(0x10000);
    while (this.#listeners.has(id)) id = randomInt(0x10000);
    this.#listeners.set(id, onMessage);
    return {
      id,
      send: (bytes, { address, port }, failed) => {
        if (this.#closed) return failed(new Error("its socket was closed"));
        try {
          this.#socket.send(bytes, port, address, (error) => error && failed(error));
        } catch (error) {
          failed(error as Error);
        }
      },
      leave: () => {
        this.#listeners.delete(id);
        if (this.#listeners.size === 0) this.#close();
      },
    };
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#onGone();
    this.#socket.close();
  }
}
