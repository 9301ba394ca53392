/**
 * Opens TLS connections to pinned addresses.
 * Invariant: a certificate is always verified, against the server's name where there is one, else the address; one
 * context and a bounded number of sessions serve all connections.
 */

import { connect, createSecureContext, type SecureContext, type TLSSocket } from "node:tls";

export interface TlsTarget {
  readonly address: string;
  readonly port: number;
  /** For SNI and the certificate; absent for IP literals. */
  readonly serverName?: string;
}

const MAX_SESSIONS = 256;

export class TlsConnector {
  readonly #trustedCa: string | undefined;
  #context: SecureContext | undefined;
  /** The last session of each server, in the order in which they were last renewed (RFC 8446 2.2). */
  readonly #sessions = new Map<string, Uint8Array>();

  /** `trustedCa`: PEM certificates that are trusted in place of the system's. */
  constructor(trustedCa?: string) {
    this.#trustedCa = trustedCa;
  }

  /** A socket under way; "secureConnect" says that it stands. */
  connect(target: TlsTarget): TLSSocket {
    const { address, port, serverName } = target;
    this.#context ??= createSecureContext(this.#trustedCa === undefined ? {} : { ca: this.#trustedCa });
    const key = `${serverName ?? address}:${port}`;
    const session = this.#sessions.get(key);
    const socket = connect({
      host: address,
      port,
      secureContext: this.#context,
      rejectUnauthorized: true,
      ALPNProtocols: ["http/1.1"],
      ...(serverName !== undefined && { servername: serverName }),
      ...(session && { session: session as never }),
    });
    socket.on("session", (renewed: Uint8Array) => this.#keep(key, renewed));
    return socket;
  }

  #keep(key: string, session: Uint8Array): void {
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
    if (this.#sessions.size > MAX_SESSIONS) this.#sessions.delete(this.#sessions.keys().next().value!);
  }
}
