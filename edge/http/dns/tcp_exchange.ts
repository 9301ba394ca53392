/**
 * One DNS message over TCP, for replies that no datagram holds (RFC 7766).
 * Invariant: settles once, and the connection is gone by then; a reply is at most 64 KB, as its length says.
 */

import { connect } from "node:net";
import type { DnsServer } from "./dns_servers.ts";

/** Sends `query` and resolves with the first message that comes back; rejects when none does. */
export function askOverTcp(query: Uint8Array, server: DnsServer, signal: AbortSignal): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: server.address, port: server.port });
    let got = new Uint8Array(0);
    const end = (settle: () => void) => {
      signal.removeEventListener("abort", onAbort);
      socket.destroy();
      settle();
    };
    const fail = (error: Error) => end(() => reject(error));
    const onAbort = () => fail(new Error("it took too long"));
    signal.addEventListener("abort", onAbort);
    socket.on("connect", () => socket.write(framed(query)));
    socket.on("error", fail);
    socket.on("close", () => fail(new Error("the connection was closed before a reply came")));
    socket.on("data", (bytes: Uint8Array) => {
      got = joined(got, bytes);
      const length = got.length < 2 ? undefined : (got[0]! << 8) | got[1]!;
      if (length !== undefined && got.length >= 2 + length) end(() => resolve(got.subarray(2, 2 + length)));
    });
    if (signal.aborted) onAbort();
  });
}

function framed(message: Uint8Array): Uint8Array {
  return joined(new Uint8Array([message.length >> 8, message.length & 0xff]), message);
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
}
