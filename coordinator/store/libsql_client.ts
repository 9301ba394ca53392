/**
 * One connection to one libSQL database, a file or a server: the only file that names @libsql/client.
 * Invariant: a file has exactly one connection, so its pragmas hold for every statement and calls never overlap.
 */

import { type Client, createClient, type InValue, LibsqlError } from "@libsql/client";
import { pathToFileURL } from "node:url";
import { repeated } from "./libsql_repeat.ts";

export type SqlValue = string | bigint | number | null | Uint8Array;

export interface Statement {
  readonly sql: string;
  readonly args: readonly SqlValue[];
}

/** Integers come as bigint, text as string, blobs as ArrayBuffer. */
export type SqlRow = ArrayLike<unknown>;

export interface Database {
  /** How a message to people names it: a path, or a URL without its token. */
  readonly place: string;
  /** The path where the database is a file. */
  readonly path: string | undefined;
  read(sql: string, args?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** All or nothing, and durable when it resolves. The rows that each statement returned. */
  write(statements: readonly Statement[]): Promise<readonly (readonly SqlRow[])[]>;
  /** Sets the connection up, now and whenever it is made anew. */
  tune(pragmas: readonly string[]): Promise<void>;
  /** Keeps the write lock, with nothing written, until released; the database is closed then. */
  hold(): Promise<{ release(): Promise<void> }>;
  close(): void;
}

export interface ConnectOptions {
  /** Path of a file, or a `libsql:`, `https:` or `http:` URL. */
  readonly location: string;
  readonly authToken?: string | undefined;
  /** How long a statement may wait for another process's lock, which blocks the event loop meanwhile. */
  readonly busyMs?: number | undefined;
  /** Every write to this database may be done twice: on a server one whose answer was lost is sent again. */
  readonly repeatsWrites?: boolean | undefined;
  /** Connects to a file in another thread; absent = in this one. */
  readonly thread?: ((options: ConnectOptions) => Database) | undefined;
  /** Replaces the HTTP client of a server connection. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** What a statement failed with. `code` is SQLite's base code, `NETWORK` when no answer came, or `URL_INVALID`. */
export class SqlError extends Error {
  override readonly name = "SqlError";
  readonly code: string;

  /** `otherwise`: the code where the client names none. */
  constructor(cause: unknown, otherwise: string) {
    const code = cause instanceof LibsqlError ? cause.code : otherwise;
    const message = cause instanceof Error ? cause.message : String(cause);
    super(message.replaceAll(`${code}: `, ""), { cause });
    this.code = code;
  }
}

/** A statement that ends in one of these stays open until it is collected, and blocks every later commit. */
const CLOGGING = new Set(["SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_IOERR", "SQLITE_INTERRUPT"]);

/** Runs statements on a client; a connection that an error left unusable is replaced. */
class Connection {
  readonly client: Client;
  #pragmas: readonly string[] = [];

  constructor(client: Client) {
    this.client = client;
  }

  async run<T>(work: (client: Client) => Promise<T>): Promise<T> {
    try {
      return await work(this.client);
    } catch (error) {
      const isFile = this.client.protocol === "file";
      const failure = new SqlError(error, isFile ? "SQLITE_ERROR" : "NETWORK");
      if (isFile && CLOGGING.has(failure.code)) await this.#renew().catch(() => {});
      throw failure;
    }
  }

  /** What goes wrong here shows at the next statement. */
  async #renew(): Promise<void> {
    await this.client.reconnect();
    await this.tune(this.#pragmas);
  }

  async tune(pragmas: readonly string[]): Promise<void> {
    this.#pragmas = pragmas;
    for (const pragma of pragmas) await this.client.execute(`pragma ${pragma}`);
  }
}

/** Whether `location` is a server's; all else is a path. */
export function isUrl(location: string): boolean {
  return /^(libsql|https?|wss?):\/\//i.test(location);
}

/** Longer than any statement of ours takes, and shorter than people wait: then the answer counts as lost. */
const REQUEST_MS = 15_000;

function requestWithin(options: ConnectOptions): (request: Request) => Promise<Response> {
  const send = options.fetch ?? ((request: Request) => fetch(request));
  return (request) => send(new Request(request, { signal: AbortSignal.timeout(REQUEST_MS) }));
}

function openClient(options: ConnectOptions): Client {
  const { location } = options;
  try {
    return createClient({
      url: isUrl(location) ? location : pathToFileURL(location).href,
      intMode: "bigint",
      concurrency: isUrl(location) ? 20 : 1,
      timeout: options.busyMs ?? 5000,
      ...(options.authToken === undefined ? {} : { authToken: options.authToken }),
      ...(isUrl(location) ? { fetch: requestWithin(options) } : {}),
    });
  } catch (error) {
    throw new SqlError(error, isUrl(location) ? "URL_INVALID" : "SQLITE_CANTOPEN");
  }
}

/** Connects; a file is created when there is none. Throws SqlError. */
export function connect(options: ConnectOptions): Database {
  if (options.thread !== undefined && !isUrl(options.location)) return options.thread(options);
  const connection = new Connection(openClient(options));
  const isServer = isUrl(options.location);
  const reading = <T>(work: (client: Client) => Promise<T>) =>
    isServer ? repeated(() => connection.run(work)) : connection.run(work);
  const writing = isServer && options.repeatsWrites === true ? reading : connection.run.bind(connection);
  return {
    place: isUrl(options.location) ? options.location.replace(/[?#].*$/, "") : options.location,
    path: isUrl(options.location) ? undefined : options.location,
    read: (sql, args = []) =>
      reading(async (client) => (await client.execute({ sql, args: args as InValue[] })).rows as unknown as SqlRow[]),
    write: (statements) =>
      writing(async (client) => {
        const batch = statements.map(({ sql, args }) => ({ sql, args: args as InValue[] }));
        return (await client.batch(batch, "write")).map((result) => result.rows as unknown as SqlRow[]);
      }),
    tune: (pragmas) => connection.run(() => connection.tune(pragmas)),
    hold: () =>
      connection.run(async (client) => {
        const transaction = await client.transaction("write");
        return {
          async release() {
            transaction.close();
            client.close();
          },
        };
      }),
    close: () => connection.client.close(),
  };
}
