/**
 * Takes one response, part by part, within the fetch's limits.
 * Invariant: settles exactly once; after a whole head it always settles as a response, truncated if need be; what
 * arrives after it settled is dropped. Memory: the wire cap and one read.
 */

import { Buffer } from "node:buffer";
import type { Clock } from "../../runtime/ports.ts";
import type { FetchRequest } from "../ports.ts";
import type { Deadlines } from "./deadlines.ts";
import { endingFailure, exchangeFailure, type Trouble } from "./failures.ts";
import type { Ending, FetchTask } from "./fetch_task.ts";
import type { Fault, ResponseHead } from "./response_head.ts";
import type { ResponseSink } from "./response_reader.ts";

export interface Collected {
  readonly status: number;
  readonly reason: string;
  readonly httpVersion: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
  readonly stopped?: string;
  readonly truncated: "length" | "time" | "disconnect" | "unspecified" | undefined;
  /** Monotonic ms. */
  readonly firstByteAt: number;
}

/** `unused`: the connection died before the request was written; nothing was sent. */
export type Collection = Collected | Trouble | "unused";

export interface CollectorOptions {
  readonly task: FetchTask;
  readonly deadlines: Deadlines;
  readonly clock: Clock;
  /** Begins the sentences of failures: "Fetching http://…". */
  readonly attempted: string;
  /** Ends the connection at once. */
  readonly cut: () => void;
  readonly onSent?: (() => void) | undefined;
  readonly unwanted?: FetchRequest["unwanted"];
  /** The connection was kept from an earlier request. */
  readonly isKept: boolean;
}

/** One part is a view of a larger read; several are joined. */
function bodyOf(parts: readonly Uint8Array[], mostBytes: number): Uint8Array {
  const [first] = parts;
  if (parts.length === 1 && first!.length <= mostBytes) return first!;
  const whole = parts.length === 1 ? first! : Buffer.concat(parts);
  return new Uint8Array(whole.buffer, whole.byteOffset, Math.min(whole.length, mostBytes));
}

export class Collector implements ResponseSink {
  readonly result: Promise<Collection>;
  readonly #options: CollectorOptions;
  #settle: ((collection: Collection) => void) | undefined;
  #started = false;
  #isHeard = false;
  #head: ResponseHead | undefined;
  #firstByteAt = 0;
  #parts: Uint8Array[] = [];
  #bodyBytes = 0;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.result = new Promise((resolve) => this.#settle = resolve);
    options.task.onEnd = (why) => this.#end(why);
    if (options.task.ended) this.#end(options.task.ended);
  }

  get settled(): boolean {
    return this.#settle === undefined;
  }

  /** The request goes to the socket now. */
  onSent(): void {
    this.#started = true;
    this.#touch();
    this.#options.onSent?.();
  }

  /** Something came: the idle clock starts anew. */
  onArrival(): void {
    this.#isHeard = true;
    this.#touch();
  }

  #touch(): void {
    const { task, deadlines } = this.#options;
    task.touch(deadlines.idleMs);
  }

  onHead(head: ResponseHead): void {
    this.#head = head;
    this.#firstByteAt = this.#options.clock.monotonicMs();
    const stopped = this.#options.unwanted?.(head);
    if (stopped !== undefined) this.#cutOff({ ...this.#response(undefined), stopped });
  }

  onData(bytes: Uint8Array): void {
    if (this.settled) return;
    this.#parts.push(bytes);
    this.#bodyBytes += bytes.length;
    if (this.#bodyBytes > this.#options.task.limits.wireBytes) this.#cutOff(this.#response("length"));
  }

  /** The response is whole. */
  onDone(): void {
    if (!this.settled) this.#finish(this.#response(undefined));
  }

  /** The response can't be read. */
  onFault(fault: Fault): void {
    if (this.settled) return;
    const { failure, found } = fault;
    this.#finish({ failure, detail: `${this.#options.attempted} failed: ${found}.`, sent: true });
  }

  /** The connection is gone, or its bytes mean nothing any more. */
  onBroken(error: unknown): void {
    if (this.settled) return;
    if (!this.#started) this.#finish("unused");
    else if (this.#head) this.#finish(this.#response("disconnect"));
    else this.#finish(this.#withoutHead(error));
  }

  /** The end of a kept connection may have been under way when the request was written. */
  #withoutHead(error: unknown): Trouble {
    const trouble = exchangeFailure(error, this.#options.attempted);
    return this.#options.isKept && !this.#isHeard ? { ...trouble, lost: true } : trouble;
  }

  #end(why: Ending): void {
    const { task, attempted } = this.#options;
    this.#cutOff(this.#head ? this.#response("time") : endingFailure(why, task, attempted, this.#started));
  }

  #cutOff(collection: Collection): void {
    this.#finish(collection);
    this.#options.cut();
  }

  #finish(collection: Collection): void {
    this.#options.task.onEnd = undefined;
    this.#settle?.(collection);
    this.#settle = undefined;
    this.#parts = [];
  }

  #response(truncated: Collected["truncated"]): Collected {
    const { status, reason, httpVersion, headers } = this.#head!;
    const body = bodyOf(this.#parts, this.#options.task.limits.wireBytes);
    return { status, reason, httpVersion, headers, body, truncated, firstByteAt: this.#firstByteAt };
  }
}
