/**
 * A libSQL server as the store's HTTP client sees one: Hrana 2 over POST /v2/pipeline, on a file, with faults; behind a
 * socket, or called without one.
 * Invariant: a batch is one transaction, as sqld makes it. It serves what @libsql/client sends for single statements and
 * write batches, and no interactive transactions.
 */

import { Buffer } from "node:buffer";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, type Database, SqlError, type SqlRow, type SqlValue } from "../../coordinator/store/libsql_client.ts";

export interface HranaServer {
  readonly fetch: (request: Request) => Promise<Response>;
  /** The next writes have these ends, one after the other. */
  fail(...faults: HranaFault[]): void;
  /** Any request takes so much longer, ms. */
  slowMs: number;
  /** Requests so far. */
  requests: number;
  close(): void;
}

/**
 * `request`: it is lost before it is done. `answer`: it is done, its answer is lost. `late`: its connection breaks, and it
 * is done when the next request has been answered. `503`: an overloaded server. `expired`: its stream is gone.
 */
export type HranaFault = "request" | "answer" | "late" | "503" | "expired";

interface HranaValue {
  readonly type: "null" | "integer" | "float" | "text" | "blob";
  readonly value?: string | number;
  /** Of a blob. */
  readonly base64?: string;
}

interface HranaStatement {
  readonly sql?: string;
  readonly sql_id?: number;
  readonly args?: readonly HranaValue[];
}

interface HranaRequest {
  readonly type: string;
  readonly sql?: string;
  readonly sql_id?: number;
  readonly stmt?: HranaStatement;
  readonly batch?: { readonly steps: readonly { readonly stmt: HranaStatement }[] };
}

function fromWire({ type, value, base64 }: HranaValue): SqlValue {
  if (type === "integer") return BigInt(value!);
  if (type === "null") return null;
  if (type === "blob") return Uint8Array.from(atob(base64!), (letter) => letter.charCodeAt(0));
  return value!;
}

function toWire(value: unknown): HranaValue {
  if (value === null) return { type: "null" };
  if (typeof value === "bigint") return { type: "integer", value: value.toString() };
  if (typeof value === "number") return { type: "float", value };
  if (value instanceof ArrayBuffer) return { type: "blob", base64: Buffer.from(value).toString("base64") };
  return { type: "text", value: String(value) };
}

function result(rows: readonly SqlRow[]) {
  const columns = rows.length === 0 ? 0 : rows[0]!.length;
  return {
    cols: Array.from({ length: columns }, (_, i) => ({ name: `c${i}`, decltype: null })),
    rows: rows.map((row) => Array.from(row, toWire)),
    affected_row_count: 0,
    last_insert_rowid: null,
  };
}

function failure(error: unknown) {
  if (!(error instanceof SqlError)) throw error;
  return { message: error.message, code: error.code };
}

/** One stream: the SQL texts that its requests refer to, and the database. */
class Stream {
  readonly #database: Database;
  readonly #texts = new Map<number, string>();

  constructor(database: Database) {
    this.#database = database;
  }

  #statement({ sql, sql_id, args = [] }: HranaStatement) {
    return { sql: sql ?? this.#texts.get(sql_id!)!, args: args.map(fromWire) };
  }

  async answer(request: HranaRequest) {
    try {
      return { type: "ok", response: { type: request.type, ...await this.#perform(request) } };
    } catch (error) {
      return { type: "error", error: failure(error) };
    }
  }

  async #perform(request: HranaRequest): Promise<object> {
    switch (request.type) {
      case "store_sql":
        this.#texts.set(request.sql_id!, request.sql!);
        return {};
      case "close_sql":
      case "close":
        return {};
      case "execute": {
        const { sql, args } = this.#statement(request.stmt!);
        return { result: result(await this.#database.read(sql, args)) };
      }
      case "batch":
        return { result: await this.#batch(request.batch!.steps.map(({ stmt }) => this.#statement(stmt))) };
      default:
        throw new Error(`Serving a Hrana request: found type ${request.type}, which the store never sends.`);
    }
  }

  /** Steps are BEGIN, the statements, COMMIT, and a ROLLBACK for when that wasn't reached. */
  async #batch(steps: readonly { sql: string; args: SqlValue[] }[]) {
    if (steps[0]!.sql !== "BEGIN IMMEDIATE" || steps.at(-2)!.sql !== "COMMIT") {
      throw new Error(`Serving a Hrana batch: found ${steps[0]!.sql} first, where a write transaction is wanted.`);
    }
    try {
      const rows = await this.#database.write(steps.slice(1, -2));
      const empty = result([]);
      return { step_results: [empty, ...rows.map(result), empty, null], step_errors: steps.map(() => null) };
    } catch (error) {
      const at = 1 + (((error as Error).cause as { statementIndex?: number }).statementIndex ?? -1);
      return {
        step_results: steps.map((_, i) => (i < at ? result([]) : null)),
        step_errors: steps.map((_, i) => (i === at ? failure(error) : null)),
      };
    }
  }
}

/** A server on the file at `path` that wants `token`. */
export function hranaServer(path: string, token: string): HranaServer {
  const database = connect({ location: path });
  const faults: HranaFault[] = [];
  let late: (() => Promise<unknown>) | undefined;
  const perform = async (requests: readonly HranaRequest[]) => {
    const stream = new Stream(database);
    const results = [];
    for (const one of requests) results.push(await stream.answer(one));
    return Response.json({ baton: null, base_url: null, results });
  };
  const server: HranaServer = {
    slowMs: 0,
    requests: 0,
    async fetch(request) {
      server.requests++;
      if (server.slowMs > 0) await new Promise((resolve) => void setTimeout(resolve, server.slowMs));
      if (request.headers.get("authorization") !== `Bearer ${token}`) {
        return Response.json({ message: "the token is wrong", code: "AUTH" }, { status: 401 });
      }
      const { requests } = await request.json() as { requests: HranaRequest[] };
      const fault = requests.some(({ type }) => type === "batch") ? faults.shift() : undefined;
      if (fault === "503") return new Response("try again later", { status: 503 });
      if (fault === "expired") {
        return Response.json({ message: "no such stream", code: "STREAM_EXPIRED" }, { status: 400 });
      }
      if (fault === "request") throw new TypeError("connection refused");
      if (fault === "late") {
        late = () => perform(requests);
        throw new TypeError("connection reset");
      }
      const answer = await perform(requests);
      const belated = late;
      late = undefined;
      await belated?.();
      if (fault === "answer") throw new TypeError("connection reset");
      return answer;
    },
    fail: (...more) => void faults.push(...more),
    close: () => database.close(),
  };
  return server;
}

/** The same behind a socket: what `fetch` rejects with is a connection that breaks. */
export async function listenHrana(server: HranaServer): Promise<{ readonly url: string; close(): Promise<void> }> {
  const http = createServer((incoming, outgoing) => {
    const chunks: Uint8Array[] = [];
    incoming.on("data", (chunk) => chunks.push(chunk));
    incoming.on("end", async () => {
      try {
        const request = new Request(`http://libsql.test${incoming.url}`, {
          method: incoming.method!,
          headers: { authorization: incoming.headers.authorization ?? "" },
          body: Buffer.concat(chunks),
        });
        const answer = await server.fetch(request);
        outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
        outgoing.end(Buffer.from(await answer.arrayBuffer()));
      } catch {
        incoming.socket.destroy();
      }
    });
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      http.close();
      http.closeAllConnections();
      await once(http, "close");
    },
  };
}
