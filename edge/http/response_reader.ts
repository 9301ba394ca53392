/**
 * Reads one response from the bytes of a connection, however they are cut.
 * Invariant: every byte is looked at a bounded number of times; before the final head ends at most `headerBytes` are
 * taken, interim responses included; what is handed on are views of what came.
 */

import { Buffer } from "node:buffer";
import { ChunkedBody } from "./chunked_body.ts";
import { type Fault, notHttp, parseResponseHead, type ResponseHead } from "./response_head.ts";

export interface ResponseSink {
  /** The final head; called once. */
  onHead(head: ResponseHead): void;
  /** A part of the body, without transfer-coding: a plain view of what came. */
  onData(bytes: Uint8Array): void;
}

/** `more`: the response goes on. `done`: it is whole. `cut`: its body can't be read further. */
export type Step = "more" | "done" | "cut" | Fault;

const BEGINS = "HTTP/";
const CR = 13;
const LF = 10;

/** A view that is a plain Uint8Array, as the ports promise. */
function view(bytes: Uint8Array, from: number, to: number): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset + from, to - from);
}

function latin1(bytes: Uint8Array, from: number, to: number): string {
  return (bytes as Buffer).toString("latin1", from, to);
}

/** Within a line, behind its LF, or behind a CR that follows that. */
const IN_LINE = 0;
const LINE_ENDED = 1;
const CR_FOLLOWS = 2;
type Ending = typeof IN_LINE | typeof LINE_ENDED | typeof CR_FOLLOWS;

export class ResponseReader {
  readonly #headerBytes: number;
  readonly #sink: ResponseSink;
  #head: ResponseHead | undefined;
  #headBytes = 0;
  /** The head so far, and how its last characters count towards an empty line. */
  #text = "";
  #ending: Ending = IN_LINE;
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
    if (this.#text === "") return "cut";
    // What is wrong with a head is told rather than that it was cut.
    const head = parseResponseHead(`${this.#text}\r\n\r\n`);
    return "failure" in head ? head : "cut";
  }

  /** One head from `from` on: the index behind it, or -1 when it isn't whole yet. */
  #readHead(bytes: Uint8Array, from: number): number | Fault {
    let at = from;
    if (this.#text === "") {
      // Stray line ends before a status line are skipped, as every client does.
      while (at < bytes.length && (bytes[at] === CR || bytes[at] === LF)) at++;
    }
    const end = this.#headEnd(bytes, at);
    const to = end < 0 ? bytes.length : end;
    this.#headBytes += to - from;
    if (this.#headBytes > this.#headerBytes) {
      return { failure: "header_too_large", found: `no response head ended within ${this.#headerBytes} bytes` };
    }
    const unsure = this.#text.length < BEGINS.length;
    this.#text += latin1(bytes, at, to);
    if (end >= 0) return this.#headEnded(end);
    // A server that speaks something else is noticed before it falls silent.
    return unsure && !BEGINS.startsWith(this.#text.slice(0, BEGINS.length)) ? notHttp(this.#text) : -1;
  }

  /** The index behind the empty line that ends the head, or -1. */
  #headEnd(bytes: Uint8Array, from: number): number {
    let ending = this.#ending;
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === LF) {
        if (ending !== IN_LINE) return at + 1;
        ending = LINE_ENDED;
      } else ending = byte === CR && ending === LINE_ENDED ? CR_FOLLOWS : IN_LINE;
    }
    this.#ending = ending;
    return -1;
  }

  /** Parses the head that ends at `end`; interim responses are passed over (RFC 9110 15.2). */
  #headEnded(end: number): number | Fault {
    const head = parseResponseHead(this.#text);
    this.#text = "";
    this.#ending = IN_LINE;
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
      if (from < bytes.length) this.#sink.onData(view(bytes, from, bytes.length));
      return "more";
    }
    const end = Math.min(bytes.length, from + this.#left);
    this.#left -= end - from;
    if (end > from) this.#sink.onData(view(bytes, from, end));
    this.#overrun = end < bytes.length;
    return this.#left === 0 ? "done" : "more";
  }
}
