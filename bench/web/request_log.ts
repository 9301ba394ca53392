/**
 * The server's account of every request.
 * Invariant: in order of arrival; bounded, and says how many entries it had to leave out.
 */

/** One request. Times are monotonic ms of the server's process. */
export interface RequestEntry {
  readonly seq: number;
  /** When the request's head was complete. */
  readonly startMs: number;
  /** When the last byte was handed to the system; -1 while the answer is under way. */
  endMs: number;
  readonly connection: number;
  /** The host's number; -1 when the Host header named none of this web. */
  readonly host: number;
  readonly authority: string;
  readonly method: string;
  /** The request target as it came. */
  readonly target: string;
  /** Its canonical form. */
  readonly path: string;
  /** What lay there (see resources.ts). */
  readonly kind: string;
  /** 0: the connection was dropped without an answer. */
  status: number;
  bytes: number;
  readonly userAgent: string;
  readonly ifNoneMatch?: string;
}

export class RequestLog {
  #entries: RequestEntry[] = [];
  #seq = 0;
  #leftOut = 0;
  readonly #bound: number;

  constructor(bound: number) {
    this.#bound = bound;
  }

  add(entry: Omit<RequestEntry, "seq" | "endMs" | "bytes">): RequestEntry {
    const kept: RequestEntry = { ...entry, seq: this.#seq++, endMs: -1, bytes: 0 };
    if (this.#entries.length < this.#bound) this.#entries.push(kept);
    else this.#leftOut++;
    return kept;
  }

  get entries(): readonly RequestEntry[] {
    return this.#entries;
  }

  /** Requests that came when the log was full. */
  get leftOut(): number {
    return this.#leftOut;
  }

  reset(): void {
    this.#entries = [];
    this.#seq = 0;
    this.#leftOut = 0;
  }
}
