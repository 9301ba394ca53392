/**
 * Takes one response from undici, event by event, within the fetch's limits.
 * Invariant: settles exactly once; after a whole head it always settles as a response, truncated if need be; what
 * arrives after it settled is dropped. Memory: the wire cap and one read.
 */

import { Buffer } from "node:buffer";
import type { Clock } from "../../runtime/ports.ts";
import type { Deadlines } from "./deadlines.ts";
import { endingFailure, exchangeFailure, type Trouble } from "./failures.ts";
import type { Ending, FetchTask } from "./fetch_task.ts";
import type { DispatchController, DispatchHandler } from "./undici.ts";

export interface Collected {
  readonly status: number;
  readonly reason: string;
  readonly httpVersion: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
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
}

/** One chunk is a view of a larger read; several are joined. */
function bodyOf(parts: readonly Uint8Array[], mostBytes: number): Uint8Array {
  const whole = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  return new Uint8Array(whole.buffer, whole.byteOffset, Math.min(whole.length, mostBytes));
}

function latin1(bytes: Uint8Array): string {
  return (bytes as Buffer).toString("latin1");
}

/**
 * The header fields as strings. When the whole head lies in one read, that stretch is converted once and cut up, at a
 * tenth of the cost of a conversion for every name and value; `read` is that read.
 */
function headerPairs(raw: readonly Uint8Array[], read: Uint8Array | undefined): [string, string][] {
  const pairs: [string, string][] = new Array(raw.length >> 1);
  const from = raw[0]?.byteOffset ?? 0;
  const end = raw.length === 0 ? 0 : raw[raw.length - 1]!.byteOffset + raw[raw.length - 1]!.length;
  const whole = read && latin1(read.subarray(from - read.byteOffset, end - read.byteOffset));
  const stringOf = (one: Uint8Array) =>
    whole === undefined ? latin1(one) : whole.slice(one.byteOffset - from, one.byteOffset - from + one.length);
  for (let i = 0; i < pairs.length; i++) pairs[i] = [stringOf(raw[i * 2]!), stringOf(raw[i * 2 + 1]!)];
  return pairs;
}

/** undici checks a request before it writes any of it: a header or path that HTTP can't carry. */
function refusal(error: Error, attempted: string): Trouble | undefined {
  const { code } = error as { code?: string };
  if (code !== "UND_ERR_INVALID_ARG" && code !== "UND_ERR_NOT_SUPPORTED") return undefined;
  return { failure: "bad_url", detail: `${attempted} was not tried: ${error.message}.`, sent: false };
}

const VERSION_AT = 5;
const NINE = 57;

export class Collector implements DispatchHandler {
  readonly result: Promise<Collection>;
  readonly #options: CollectorOptions;
  #settle: ((collection: Collection) => void) | undefined;
  #started = false;
  #headBytes = 0;
  /** The read that the whole head lies in; undefined when it took several. */
  #headRead: Uint8Array | undefined;
  #status = 0;
  #reason = "";
  #httpVersion = "1.1";
  #rawHeaders: readonly Uint8Array[] = [];
  #firstByteAt = 0;
  #parts: Uint8Array[] = [];
  #bodyBytes = 0;
  #brokenOff = false;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.result = new Promise((resolve) => this.#settle = resolve);
    options.task.onEnd = (why) => this.#end(why);
    if (options.task.ended) this.#end(options.task.ended);
  }

  get settled(): boolean {
    return this.#settle === undefined;
  }

  /**
   * A read of the socket, before it is parsed. False: stop reading. undici bounds header fields, but neither the
   * reason phrase nor the number of interim responses; this bounds all that comes before the final head's end.
   */
  onRead(chunk: Uint8Array): boolean {
    if (this.#status !== 0) return true;
    const { task, deadlines, attempted } = this.#options;
    task.touch(deadlines.idleMs);
    if (this.#headBytes === 0 && chunk.length > VERSION_AT + 2 && chunk[VERSION_AT]! <= NINE) {
      this.#httpVersion = `${chunk[VERSION_AT]! - 48}.${chunk[VERSION_AT + 2]! - 48}`;
    }
    if (this.#headBytes > task.limits.headerBytes) {
      const detail = `${attempted} failed: no response head ended within ${task.limits.headerBytes} bytes.`;
      this.#cutOff({ failure: "header_too_large", detail, sent: true });
      return false;
    }
    this.#headRead = this.#headBytes === 0 ? chunk : undefined;
    this.#headBytes += chunk.length;
    return true;
  }

  /** The socket reported an error: a body that is delimited by the connection's end isn't whole. */
  onSocketError(): void {
    this.#brokenOff = true;
  }

  onRequestStart(_controller: DispatchController): void {
    this.#started = true;
    this.#options.task.touch(this.#options.deadlines.idleMs);
    this.#options.onSent?.();
  }

  onResponseStart(controller: DispatchController, status: number, _headers: unknown, reason?: string): void {
    if (status < 200) return;
    this.#status = status;
    this.#reason = reason ?? "";
    this.#rawHeaders = (controller.rawHeaders ?? []) as readonly Uint8Array[];
    this.#firstByteAt = this.#options.clock.monotonicMs();
  }

  onResponseData(_controller: DispatchController, chunk: Uint8Array): void {
    if (this.settled) return;
    const { task, deadlines } = this.#options;
    task.touch(deadlines.idleMs);
    this.#parts.push(chunk);
    this.#bodyBytes += chunk.length;
    if (this.#bodyBytes > task.limits.wireBytes) this.#cutOff(this.#response("length"));
  }

  onResponseEnd(): void {
    this.#finish(this.#response(this.#brokenOff ? "disconnect" : undefined));
  }

  onResponseError(_controller: DispatchController | null, error: Error): void {
    if (this.settled) return;
    if (!this.#started) return this.#finish(refusal(error, this.#options.attempted) ?? "unused");
    if (this.#status !== 0) return this.#finish(this.#response("disconnect"));
    this.#finish(exchangeFailure(error, this.#options.attempted));
  }

  #end(why: Ending): void {
    const { task, attempted } = this.#options;
    this.#cutOff(this.#status === 0 ? endingFailure(why, task, attempted, this.#started) : this.#response("time"));
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
    this.#rawHeaders = [];
    this.#headRead = undefined;
  }

  #response(truncated: Collected["truncated"]): Collected {
    return {
      status: this.#status,
      reason: this.#reason,
      httpVersion: this.#httpVersion,
      headers: headerPairs(this.#rawHeaders, this.#headRead),
      body: bodyOf(this.#parts, this.#options.task.limits.wireBytes),
      truncated,
      firstByteAt: this.#firstByteAt,
    };
  }
}
