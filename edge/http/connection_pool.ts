/**
 * Keep-alive connections by origin.
 * Invariant: an origin has at most `maxPerOrigin` connections, those being opened included; idle ones are bounded over
 * all origins (the one that has been idle longest goes first) and over time; an origin without connections and waiters
 * is forgotten. No timer runs while nothing is idle. An origin that is distrusted gets a new connection for each request.
 */

import { clearInterval, setInterval } from "node:timers";
import type { Clock } from "../../runtime/ports.ts";
import { Connection } from "./connection.ts";
import { DistrustedOrigins } from "./distrusted_origins.ts";
import { endingFailure, type Trouble } from "./failures.ts";
import type { FetchTask } from "./fetch_task.ts";
import type { Origin } from "./fetch_target.ts";
import type { SocketOpener } from "./socket_opener.ts";

export interface PoolOptions {
  readonly opener: SocketOpener;
  readonly maxPerOrigin: number;
  readonly maxIdle: number;
  /** How long a connection is kept without a request; a server's shorter time wins. */
  readonly keepAliveMs: number;
  readonly clock: Clock;
}

interface Group {
  readonly key: string;
  readonly idle: Connection[];
  /** Idle, in use and being opened. */
  open: number;
  readonly waiting: Set<() => void>;
}

/** Idle connections whose time is over are looked for this often; one that is asked for is judged at once. */
const SWEEP_MS = 1000;

interface Idle {
  readonly group: Group;
  /** Monotonic ms. */
  readonly until: number;
}

export class ConnectionPool {
  readonly #options: PoolOptions;
  readonly #groups = new Map<string, Group>();
  /** In the order in which they became idle. */
  readonly #idle = new Map<Connection, Idle>();
  readonly #inUse = new Map<Connection, Group>();
  readonly #closing = new Set<Promise<void>>();
  readonly #distrusted: DistrustedOrigins;
  #sweeper: ReturnType<typeof setInterval> | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#distrusted = new DistrustedOrigins(options.clock);
  }

  get idleCount(): number {
    return this.#idle.size;
  }

  get originCount(): number {
    return this.#groups.size;
  }

  /** An idle connection of the origin, if there is one: the path that costs nothing. */
  takeIdle(task: FetchTask, origin: Origin, onlyOpened: boolean): Connection | undefined {
    const group = this.#groups.get(keyOf(task, origin, onlyOpened));
    if (!group || group.idle.length === 0) return undefined;
    const now = this.#options.clock.monotonicMs();
    for (let one = group.idle.pop(); one; one = group.idle.pop()) {
      const { until } = this.#idle.get(one)!;
      this.#idle.delete(one);
      if (one.reusable && now < until) {
        this.#inUse.set(one, group);
        return one;
      }
      this.#drop(one);
    }
    return undefined;
  }

  /** A connection for one request: idle, new, or the next that is given back. Give it back with `release`. */
  async acquire(task: FetchTask, origin: Origin, onlyOpened: boolean): Promise<Connection | Trouble> {
    for (;;) {
      const idle = this.takeIdle(task, origin, onlyOpened);
      if (idle) return idle;
      const group = this.#groupFor(keyOf(task, origin, onlyOpened));
      if (group.open < this.#options.maxPerOrigin) return await this.#open(group, task, origin, onlyOpened);
      const ended = await this.#turn(group, task);
      if (ended) return endingFailure(ended, task, `Waiting for a connection to ${origin.origin}`, false);
    }
  }

  /** Gives a connection back after its exchange. */
  release(connection: Connection): void {
    const group = this.#inUse.get(connection);
    if (!group) return;
    if (!connection.reusable || this.#distrusted.has(group.key)) return this.#drop(connection);
    this.#inUse.delete(connection);
    group.idle.push(connection);
    this.#idle.set(connection, { group, until: this.#options.clock.monotonicMs() + connection.keepMs });
    this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP_MS);
    this.#wake(group);
    if (this.#idle.size > this.#options.maxIdle) this.#drop(this.#idle.keys().next().value!);
  }

  /** A kept connection of the origin ended on a request: the others may be about to. */
  distrust(task: FetchTask, origin: Origin, onlyOpened: boolean): void {
    const key = keyOf(task, origin, onlyOpened);
    this.#distrusted.add(key);
    for (const one of [...this.#groups.get(key)?.idle ?? []]) this.#drop(one);
  }

  async close(): Promise<void> {
    for (const one of [...this.#idle.keys(), ...this.#inUse.keys()]) this.#drop(one);
    this.#rest();
    await Promise.all(this.#closing);
  }

  #sweep(): void {
    const now = this.#options.clock.monotonicMs();
    for (const [connection, { until }] of this.#idle) if (now >= until) this.#drop(connection);
    if (this.#idle.size === 0) this.#rest();
  }

  #rest(): void {
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }

  #groupFor(key: string): Group {
    let group = this.#groups.get(key);
    if (!group) this.#groups.set(key, group = { key, idle: [], open: 0, waiting: new Set() });
    return group;
  }

  async #open(group: Group, task: FetchTask, origin: Origin, onlyOpened: boolean): Promise<Connection | Trouble> {
    group.open++;
    try {
      const open = await this.#options.opener.open(task, origin, onlyOpened);
      if (!("socket" in open)) {
        this.#freed(group);
        return open;
      }
      const connection: Connection = new Connection(open, {
        host: origin.host,
        headerBytes: task.limits.headerBytes,
        keepAliveMs: this.#options.keepAliveMs,
        onGone: () => this.#forget(connection, group),
      });
      this.#inUse.set(connection, group);
      return connection;
    } catch (error) {
      this.#freed(group);
      throw error;
    }
  }

  /** Waits until a connection of the group is free; the task's ending if that comes first. */
  #turn(group: Group, task: FetchTask): Promise<FetchTask["ended"]> {
    let wake: (() => void) | undefined;
    const turn = new Promise<undefined>((resolve) => group.waiting.add(wake = () => resolve(undefined)));
    return task.race(turn).finally(() => {
      // Woken and ended in the same moment: the turn belongs to the next in line.
      if (!group.waiting.delete(wake!) && task.ended) this.#wake(group);
      this.#forgetEmpty(group);
    });
  }

  #wake(group: Group): void {
    const [first] = group.waiting;
    if (!first) return;
    group.waiting.delete(first);
    first();
  }

  #drop(connection: Connection): void {
    const closed = connection.destroy();
    this.#closing.add(closed);
    closed.then(() => this.#closing.delete(closed));
  }

  #forget(connection: Connection, group: Group): void {
    this.#inUse.delete(connection);
    if (this.#idle.delete(connection)) {
      const at = group.idle.indexOf(connection);
      if (at >= 0) group.idle.splice(at, 1);
    }
    this.#freed(group);
  }

  #freed(group: Group): void {
    group.open--;
    this.#wake(group);
    this.#forgetEmpty(group);
  }

  #forgetEmpty(group: Group): void {
    if (group.open > 0 || group.waiting.size > 0) return;
    if (this.#groups.get(group.key) === group) this.#groups.delete(group.key);
  }
}

/** Crawls that may reach opened addresses only never share a connection with others. */
function keyOf(task: FetchTask, origin: Origin, onlyOpened: boolean): string {
  return `${origin.origin} ${task.limits.headerBytes}${onlyOpened ? " opened" : ""}`;
}
