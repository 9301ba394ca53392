/**
 * A way to an S3 server on which things go wrong as a test says.
 * Invariant: a request that isn't disturbed, and its answer, pass as they are; `close` leaves no socket open.
 */

import { createServer, type IncomingMessage, request as ask, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** refuse: 503. late: 200 with an error in it, nothing done. reset: cut before the server saw it. lost: done, unanswered. mute: no answer, nothing done. */
export type S3Fault = "refuse" | "late" | "reset" | "lost" | "mute";

export interface S3Seen {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
}

/** What happens to a request; undefined = nothing. */
export type S3Plan = (seen: S3Seen) => S3Fault | undefined;

export interface FaultyS3 {
  readonly endpoint: string;
  readonly seen: readonly S3Seen[];
  plan: S3Plan;
  close(): Promise<void>;
}

const ERROR = "<Error><Code>SlowDown</Code><Message>later</Message></Error>";

export async function faultyS3(endpoint: string): Promise<FaultyS3> {
  const target = new URL(endpoint);
  const seen: S3Seen[] = [];
  const self = { plan: (() => undefined) as S3Plan };
  const server = createServer((incoming, outgoing) => {
    const { method = "", url = "" } = incoming;
    seen.push({ method, url });
    const fault = self.plan({ method, url });
    if (fault === "reset") return void incoming.socket.destroy();
    if (fault === "mute") return void incoming.resume();
    if (fault === "refuse" || fault === "late") {
      incoming.resume();
      return void outgoing.writeHead(fault === "late" ? 200 : 503, { "connection": "close" }).end(ERROR);
    }
    forward(target, { incoming, outgoing, isLost: fault === "lost" });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    get plan() {
      return self.plan;
    },
    set plan(plan) {
      self.plan = plan;
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Passing {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly isLost: boolean;
}

function forward(target: URL, { incoming, outgoing, isLost }: Passing): void {
  const { method, url, headers } = incoming;
  // The host that was signed goes on, not the one that is connected to.
  const options = {
    host: target.hostname,
    port: target.port,
    method,
    path: url,
    headers: { ...headers, connection: "close" },
  };
  const passed = ask(options, (answer) => {
    if (isLost) {
      answer.on("end", () => incoming.socket.destroy()).resume();
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  passed.on("error", () => incoming.socket.destroy());
  incoming.pipe(passed);
}
