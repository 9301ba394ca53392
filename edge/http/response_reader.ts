/**
 * Reads one response from the bytes of a connection, however they are cut.
 * Invariant: every byte is looked at a bounded number of times; before the final head ends at most `headerBytes` are
 * taken, interim responses included; what is handed on are views of what came.
 */

import { Buffer } from "node:buffer";
import { ChunkedBody } from "./chunked_body.ts";
import { type Fault, parseResponseHead, type ResponseHead } from "./response_head.ts";

export interface ResponseSink {
  /** The final head; called once. */
  onHead(head: ResponseHead): void;
  /** A part of the body, without transfer-coding. */
  onData(bytes: Uint8Array): void;
}

/** `more`: the response goes on. `done`: it is whole. `cut`: its body can't be read further. */
export type Step = "more" | "done" | "cut" | Fault;

/** Where most heads end: so much of a read is looked at first. */
const WINDOW_BYTES = 2048;
/** An empty line: the end of the line before, and its own. */
const HEAD_END = /\n\r?\n/;
const BEGINS = "HTTP/";
const CR = 13;
const LF = 10;

function latin1(bytes: Uint8Array, from: number, to: number): string {
  return (bytes as Buffer).toString("latin1", from, to);
}

export class ResponseReader {
  readonly #headerBytes: number;
  readonly #sink: ResponseSink;
  #head: ResponseHead | undefined;
  #headBytes = 0;
  /** The head so far, in pieces, and its last two characters. */
  #pieces: string[] = [];
  #tail = "";
  #left = 0;
  #chunked: ChunkedBody | undefined;
  /** More came than the response says. */
  #overrun = false;

  constructor(headerBytes: number, sink: ResponseSink) {
    this.#headerBytes = headerBytes;
    this.#sink = sink;
  }

  /** True when, the response being whole, its connection may carry another request. */
  get persistent(): boolean {
    return this.#head?.persistent === true && !this.#overrun && this.#chunked?.careless !== true;
  }

  /** How long the server keeps the connection, if it said so. */
  get keepAliveMs(): number | undefined {
    return this.#head?.keepAliveMs;
  }

  /** Takes what a connection gave. `bytes` is a Buffer of node's. */
  read(bytes: Uint8Array): Step {
    let at = 0;
    while (!this.#head) {
      const end = this.#readHead(bytes, at);
      if (typeof end !== "number") return end;
      if (end < 0) return "more";
      at = end;
    }
    return this.#readBody(bytes, at);
  }

  /** The other side has said its last. */
  end(): Step {
    if (this.#head) return this.#head.framing === "close" ? "done" : "cut";
    return "cut";
  }

  /** One head from `from` on: the index behind it, or -1 when it isn't whole yet. */
  #readHead(bytes: Uint8Array, from: number): number | Fault {
    let at = from;
    if (this.#pieces.length === 0) {
      // Stray line ends before a status line are skipped, as every client does.
      while (at < bytes.length && (bytes[at] === CR || bytes[at] === LF)) at++;
    }
    const end = this.#headEnd(bytes, at);
    this.#headBytes += (end < 0 ? bytes.length : end) - from;
    if (this.#headBytes > this.#headerBytes) {
      return { failure: "header_too_large", found: `no response head ended within ${this.#headerBytes} bytes` };
    }
    return end < 0 ? this.#unlikeHttp() ?? -1 : this.#headEnded(end);
  }

  /** Collects the head's text; the index behind its empty line, or -1. */
  #headEnd(bytes: Uint8Array, from: number): number {
    for (let at = from, to = 0; at < bytes.length; at = to) {
      to = at === from ? Math.min(at + WINDOW_BYTES, bytes.length) : bytes.length;
      const piece = latin1(bytes, at, to);
      const text = this.#tail + piece;
      const found = text.search(HEAD_END);
      if (found >= 0) {
        const used = found + (text.charCodeAt(found + 1) === CR ? 3 : 2) - this.#tail.length;
        this.#pieces.push(piece.slice(0, used));
        return at + used;
      }
      this.#pieces.push(piece);
      this.#tail = text.slice(-2);
    }
    return -1;
  }

  /** A server that speaks something else is noticed before it falls silent. */
  #unlikeHttp(): Fault | undefined {
    const [first] = this.#pieces;
    if (first === undefined) return undefined;
    if (first.length < BEGINS.length && this.#pieces.length > 1) {
      this.#pieces.splice(0, 2, first + this.#pieces[1]!);
      return this.#unlikeHttp();
    }
    const begins = first.slice(0, BEGINS.length);
    if (BEGINS.startsWith(begins)) return undefined;
    return { failure: "protocol", found: `no HTTP status line but ${JSON.stringify(first.slice(0, 80))}` };
  }

  /** Parses the head that ends at `end`; interim responses are passed over (RFC 9110 15.2). */
  #headEnded(end: number): number | Fault {
    const head = parseResponseHead(this.#pieces.length === 1 ? this.#pieces[0]! : this.#pieces.join(""));
    this.#pieces = [];
    this.#tail = "";
    if ("failure" in head) return head;
    if (head.status === 101) return { failure: "protocol", found: "a switch of protocols that nobody asked for" };
    if (head.status < 200) return end;
    this.#head = head;
    this.#left = head.framing === "length" ? head.bodyBytes : 0;
    if (head.framing === "chunked") {
      this.#chunked = new ChunkedBody(this.#headerBytes, (part) => this.#sink.onData(part));
    }
    this.#sink.onHead(head);
    return end;
  }

  #readBody(bytes: Uint8Array, from: number): Step {
    if (this.#chunked) {
      const end = this.#chunked.read(bytes, from);
      if (end < 0) return "cut";
      if (!this.#chunked.ended) return "more";
      this.#overrun = end < bytes.length;
      return "done";
    }
    if (this.#head!.framing === "close") {
      if (from < bytes.length) this.#sink.onData(from === 0 ? bytes : bytes.subarray(from));
      return "more";
    }
    const end = Math.min(bytes.length, from + this.#left);
    this.#left -= end - from;
    if (end > from) this.#sink.onData(bytes.subarray(from, end));
    this.#overrun = end < bytes.length;
    return this.#left === 0 ? "done" : "more";
  }
}
