/**
 * The synthetic web's control port: its log, its figures, a reset.
 * Invariant: on 127.0.0.1 only, and never part of the web that is crawled.
 */

import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import type { RunningWeb } from "./server.ts";

export interface Control {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves `/__log` (NDJSON), `/__stats` (JSON) and `/__reset` for `web`. */
export async function startControl(web: RunningWeb, port = 0): Promise<Control> {
  const server = createServer((request, response) => answer(web, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Figures of the server since its start or the last reset. */
export interface WebStats {
  readonly requests: number;
  readonly left_out: number;
  readonly by_status: Readonly<Record<string, number>>;
  readonly by_kind: Readonly<Record<string, number>>;
  readonly bytes: number;
  readonly connections_open: number;
  readonly connections_most: number;
  readonly cpu_seconds: number;
}

export function statsOf(web: RunningWeb): WebStats {
  const byStatus: Record<string, number> = {};
  const byKind: Record<string, number> = {};
  let bytes = 0;
  for (const entry of web.log.entries) {
    byStatus[entry.status] = (byStatus[entry.status] ?? 0) + 1;
    byKind[entry.kind] = (byKind[entry.kind] ?? 0) + 1;
    bytes += entry.bytes;
  }
  const cpu = process.cpuUsage();
  return {
    requests: web.log.entries.length + web.log.leftOut,
    left_out: web.log.leftOut,
    by_status: byStatus,
    by_kind: byKind,
    bytes,
    connections_open: web.connections.open,
    connections_most: web.connections.most,
    cpu_seconds: (cpu.user + cpu.system) / 1e6,
  };
}

const LINES_PER_WRITE = 2000;

function answer(web: RunningWeb, request: IncomingMessage, response: ServerResponse): void {
  switch (request.url) {
    case "/__log":
      return sendLog(web, response);
    case "/__stats":
      return void response.setHeader("content-type", "application/json").end(`${JSON.stringify(statsOf(web))}\n`);
    case "/__reset":
      web.reset();
      return void response.end("reset\n");
    default:
      return void response.writeHead(404).end("known: /__log /__stats /__reset\n");
  }
}

function sendLog(web: RunningWeb, response: ServerResponse): void {
  const entries = web.log.entries;
  response.setHeader("content-type", "application/x-ndjson");
  response.setHeader("x-left-out", String(web.log.leftOut));
  for (let at = 0; at < entries.length; at += LINES_PER_WRITE) {
    response.write(entries.slice(at, at + LINES_PER_WRITE).map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  }
  response.end();
}
