/**
 * API requests at a fixed rate, over sockets of its own: a client of a few microseconds a request, so that what is measured
 * beside it is the server and not the client.
 * Invariant: a connection has one request out; answers have a Content-Length or come in chunks.
 */

import { connect, type Socket } from "node:net";
import { systemClock } from "../runtime/node.ts";

export interface Asked {
  readonly path: string;
  /** JSON; absent = GET. */
  readonly body?: string;
}

export interface LoadOptions {
  readonly base: string;
  /** Requests a second. */
  readonly rate: number;
  readonly connections: number;
  readonly ask: (number: number) => Asked;
}

export interface Sent {
  readonly seconds: number;
  /** How many answers had each status. */
  readonly statuses: Readonly<Record<number, number>>;
}

/** Begins to send; the function tells what was answered so far. */
export function sendLoad({ base, rate, connections, ask }: LoadOptions): () => Sent {
  const { hostname, port } = new URL(base);
  const statuses: Record<number, number> = {};
  const began = systemClock.monotonicMs();
  let number = 0;
  const work = async () => {
    const line = await openLine(hostname, Number(port));
    for (;;) {
      const due = began + number++ * 1000 / rate;
      const wait = due - systemClock.monotonicMs();
      if (wait > 1) await systemClock.sleep(wait);
      const status = await line(ask(number));
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  for (let i = 0; i < connections; i++) void work();
  return () => ({ seconds: (systemClock.monotonicMs() - began) / 1000, statuses });
}

/** A connection: asks, and resolves to the status when the answer is whole. */
export async function openLine(hostname: string, port: number): Promise<(asked: Asked) => Promise<number>> {
  const socket: Socket = connect({ host: hostname, port, noDelay: true });
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  let text = "";
  let answered: (status: number) => void = () => {};
  socket.setEncoding("latin1").on("data", (piece) => {
    text += piece;
    if (!isWhole(text)) return;
    const status = Number(text.slice(9, 12));
    text = "";
    answered(status);
  });
  return ({ path, body }) =>
    new Promise((resolve) => {
      answered = resolve;
      const head = `${body === undefined ? "GET" : "POST"} ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n`;
      if (body === undefined) socket.write(`${head}\r\n`);
      else socket.write(`${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    });
}

function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1];
  return length === undefined ? text.endsWith("0\r\n\r\n") : text.length >= end + 4 + Number(length);
}
