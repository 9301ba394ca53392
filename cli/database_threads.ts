/**
 * Databases in threads of their own: what SQLite computes, and its waits for the disk, keep nobody waiting in the thread that
 * answers (ADR 31).
 * Invariant: a database is in one thread for as long as there is one, and its calls are done there in the order in which they
 * were made. A thread that ends fails what it was asked; the next call begins another, with the same pragmas.
 */

import { type ConnectOptions, type Database, SqlError, type SqlRow } from "../coordinator/store/libsql_client.ts";
import { type Calls, type Channel, openCalls } from "../runtime/calls.ts";

export interface DatabaseThreads {
  /** For `thread` of a store's options. */
  readonly connect: (options: ConnectOptions) => Database;
  /** When what was closed is closed. Open databases are cut off. */
  close(): Promise<void>;
}

/** What a thread is asked; see database_thread_main.ts. */
export interface DatabaseCall {
  /** Names the connection; one that isn't known is made. */
  readonly id: number;
  readonly options: Pick<ConnectOptions, "location" | "busyMs">;
  /** Of the connection. */
  readonly pragmas: readonly string[];
  readonly args: readonly unknown[];
}

export type DatabaseVerb = "read" | "write" | "tune" | "close";

/** `most`: threads; databases share them when there are more. */
export function databaseThreads(most: number): DatabaseThreads {
  const threads: DatabaseThread[] = [];
  const homes = new Map<string, DatabaseThread>();
  let nextId = 0;
  const homeOf = (location: string): DatabaseThread => {
    let home = homes.get(location);
    if (home === undefined) {
      if (threads.length < most) threads.push(new DatabaseThread());
      home = threads.reduce((best, one) => (one.homes < best.homes ? one : best));
      home.homes++;
      homes.set(location, home);
    }
    return home;
  };
  return {
    connect: (options) => database(homeOf(options.location), options, nextId++),
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

function database(thread: DatabaseThread, { location, busyMs }: ConnectOptions, id: number): Database {
  const options = { location, ...(busyMs === undefined ? {} : { busyMs }) };
  let pragmas: readonly string[] = [];
  const call = <T>(verb: DatabaseVerb, ...args: readonly unknown[]) =>
    thread.call<T>(verb, { id, options, pragmas, args } satisfies DatabaseCall);
  return {
    place: location,
    path: location,
    read: (sql, args = []) => call<SqlRow[]>("read", sql, args),
    write: (statements) => call<SqlRow[][]>("write", statements),
    async tune(wanted) {
      await call("tune", wanted);
      pragmas = wanted;
    },
    hold: () => Promise.reject(new Error(`Holding ${location} failed: it is in a thread, and locks are held outside.`)),
    close: () => thread.closing(call("close")),
  };
}

class DatabaseThread {
  /** Databases that live here. */
  homes = 0;
  #running: { readonly worker: Worker; readonly calls: Calls } | undefined;
  readonly #closing = new Set<Promise<void>>();

  async call<T>(verb: DatabaseVerb, call: DatabaseCall): Promise<T> {
    this.#running ??= this.#start();
    try {
      return await this.#running.calls.call<T>(verb, call);
    } catch (error) {
      const { message, code } = error as Error & { readonly code?: string };
      throw code?.startsWith("SQLITE_") ? new SqlError(new Error(message), code) : error;
    }
  }

  /** `close` waits for it. */
  closing(work: Promise<unknown>): void {
    // What can't be closed is gone already.
    const done: Promise<void> = work.then(() => {}, () => {}).finally(() => this.#closing.delete(done));
    this.#closing.add(done);
  }

  async close(): Promise<void> {
    await Promise.all(this.#closing);
    this.#end("Using a database failed: its thread was closed.");
  }

  #start() {
    const worker = new Worker(new URL("./database_thread_main.ts", import.meta.url), { type: "module" });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      if (this.#running?.worker !== worker) return;
      this.#end(`Using a database failed: its thread ended (${event.message}), so nobody knows what was done.`);
    });
    return { worker, calls: openCalls(worker as Channel, {}) };
  }

  #end(sentence: string): void {
    const ended = this.#running;
    this.#running = undefined;
    ended?.calls.close(sentence);
    ended?.worker.terminate();
  }
}
