/**
 * A DNS server on loopback, UDP and TCP on one port, that answers each question as a test says: also late, never, cut,
 * forged or with nonsense.
 * Invariant: nothing leaves loopback; `close` ends every socket and timer.
 */

import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { type Answer, AUTHORITATIVE_ANSWER, decode, encode, RECURSION_AVAILABLE, TRUNCATED_RESPONSE } from "dns-packet";

export interface Asked {
  readonly name: string;
  readonly type: string;
  readonly over: "udp" | "tcp";
  /** Questions for this name and type so far, this one included. */
  readonly nth: number;
}

export type Record = readonly [type: "A" | "AAAA" | "CNAME", name: string, data: string, ttl: number];

export interface Records {
  readonly records: readonly Record[];
  /** Of the zone, where there is no record (RFC 2308). */
  readonly negativeTtl?: number;
  readonly code?: "NXDOMAIN" | "SERVFAIL" | "REFUSED" | "FORMERR";
  /** The datagram says that it was cut. */
  readonly truncated?: boolean;
  readonly delayMs?: number;
  /** Sent before from another port, as who would poison a cache does. */
  readonly forged?: readonly Record[];
}

export type DnsAnswer =
  | Records
  /** These bytes, whatever they are. */
  | { readonly raw: Uint8Array }
  | "silence";

const CODES = { NXDOMAIN: 3, SERVFAIL: 2, REFUSED: 5, FORMERR: 1 };

export interface DnsServer {
  /** `127.0.0.1:port`, as `--resolver` takes it. */
  readonly address: string;
  readonly asked: readonly Asked[];
  close(): Promise<void>;
}

function message(query: ReturnType<typeof decode>, answer: Records) {
  const { records, code, negativeTtl, truncated } = answer;
  const flags = AUTHORITATIVE_ANSWER | RECURSION_AVAILABLE | (truncated ? TRUNCATED_RESPONSE : 0);
  const soa = { mname: "ns.test", rname: "root.test", serial: 1, refresh: 1, retry: 1, expire: 1 };
  return encode({
    type: "response",
    id: query.id!,
    flags: flags | (code === undefined ? 0 : CODES[code]),
    questions: query.questions!,
    answers: records.map(([type, name, data, ttl]): Answer => ({ type, name, data, ttl }) as Answer),
    ...(negativeTtl !== undefined && {
      authorities: [{ type: "SOA", name: "test", ttl: negativeTtl, data: { ...soa, minimum: negativeTtl } } as Answer],
    }),
  });
}

/** Both listen on one port: whichever is free for the other too. */
async function listenOnBoth(udp: UdpSocket, tcp: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve));
  const { port } = tcp.address() as AddressInfo;
  await new Promise<void>((resolve, reject) => {
    udp.once("error", reject);
    udp.bind(port, "127.0.0.1", resolve);
  });
  return port;
}

/** Starts a server that asks `answer` for each question. */
export async function startDnsServer(answer: (asked: Asked) => DnsAnswer): Promise<DnsServer> {
  const asked: Asked[] = [];
  const counts = new Map<string, number>();
  const sockets = new Set<Socket>();
  const timers = new Set<ReturnType<typeof setTimeout>>();
  const udp = createSocket("udp4");
  const forger = createSocket("udp4");

  const reply = (
    bytes: Uint8Array,
    over: Asked["over"],
    send: (message: Uint8Array, from: "server" | "forger") => void,
  ) => {
    const query = decode(bytes as Parameters<typeof decode>[0]);
    const { name, type } = query.questions![0]!;
    const key = `${name.toLowerCase()} ${type}`;
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    const one: Asked = { name: name.toLowerCase(), type, over, nth };
    asked.push(one);
    const found = answer(one);
    if (found === "silence") return;
    if ("raw" in found) return send(found.raw, "server");
    if (found.forged !== undefined) send(message(query, { records: found.forged }), "forger");
    const timer = setTimeout(() => {
      timers.delete(timer);
      send(message(query, found), "server");
    }, found.delayMs ?? 0);
    timers.add(timer);
  };

  udp.on("message", (bytes, { port, address }) => {
    reply(bytes, "udp", (out, from) => (from === "server" ? udp : forger).send(out, port, address));
  });
  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    socket.on("data", (bytes: Uint8Array) => {
      reply(bytes.subarray(2), "tcp", (out) => {
        const length = new Uint8Array([out.length >> 8, out.length & 0xff]);
        // In two pieces, as a stream may come.
        socket.write(length);
        socket.end(out);
      });
    });
  });
  const port = await listenOnBoth(udp, tcp);
  await new Promise<void>((resolve) => forger.bind(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${port}`,
    asked,
    close: async () => {
      for (const timer of timers) clearTimeout(timer);
      for (const socket of sockets) socket.destroy();
      await Promise.all([
        new Promise<void>((resolve) => udp.close(resolve)),
        new Promise<void>((resolve) => forger.close(resolve)),
        new Promise<void>((resolve) => tcp.close(() => resolve())),
      ]);
    },
  };
}

/** An address record for every question of its type; no address for the other type. */
export function addressOf(asked: Asked, address: string, ttl = 300): Records {
  const type = address.includes(":") ? "AAAA" : "A";
  return { records: asked.type === type ? [[type, asked.name, address, ttl]] : [], negativeTtl: 60 };
}
