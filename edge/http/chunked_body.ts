/**
 * Takes the chunked transfer-coding off a body (RFC 9112 7.1), piece by piece.
 * Invariant: what is handed on are views of what came, in order; everything that isn't data (sizes, extensions,
 * trailers) is bounded over the whole body and never kept.
 */

import { Buffer } from "node:buffer";

const LF = 10;
const CR = 13;

/** Size, optional white space (RFC 9112 7.1.1), then nothing or extensions. */
const SIZE_LINE = /^([0-9a-fA-F]{1,16})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/;
/** A size line that is longer than this holds extensions, or zeros for nothing. */
const PLAIN_LINE_BYTES = 20;

type Stage = "size" | "data" | "after" | "trailer" | "ended";

export class ChunkedBody {
  /** A line ended with LF alone: read, but others may read it differently. */
  careless = false;
  readonly #onData: (bytes: Uint8Array) => void;
  /** What sizes, extensions and trailers may still cost, in bytes. */
  #spare: number;
  #stage: Stage = "size";
  #left = 0;
  /** The part of a line that came so far. */
  #line = "";

  /** `spareBytes` bounds extensions and trailers. */
  constructor(spareBytes: number, onData: (bytes: Uint8Array) => void) {
    this.#spare = spareBytes;
    this.#onData = onData;
  }

  /** True when the last chunk and its trailers were read. */
  get ended(): boolean {
    return this.#stage === "ended";
  }

  /** Reads `bytes` from `from`. The index behind what was read; -1 when it is no chunked body. */
  read(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at < bytes.length && this.#stage !== "ended") {
      if (this.#stage === "data") at = this.#data(bytes, at);
      else {
        const lf = bytes.indexOf(LF, at);
        const end = lf < 0 ? bytes.length : lf;
        if (!this.#take(bytes, at, end)) return -1;
        if (lf < 0) return end;
        if (!this.#lineEnded()) return -1;
        at = lf + 1;
      }
    }
    return at;
  }

  #data(bytes: Uint8Array, at: number): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    if (this.#left === 0) this.#stage = "after";
    this.#onData(new Uint8Array(bytes.buffer, bytes.byteOffset + at, end - at));
    return end;
  }

  /** Adds to the line that is being read. False when lines cost too much. */
  #take(bytes: Uint8Array, from: number, to: number): boolean {
    const free = this.#stage === "trailer" ? 0 : Math.max(0, PLAIN_LINE_BYTES - this.#line.length);
    this.#spare -= Math.max(0, to - from - free);
    if (this.#spare < 0) return false;
    this.#line += Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString("latin1");
    return true;
  }

  /** False when the line isn't what belongs here. */
  #lineEnded(): boolean {
    const crlf = this.#line.charCodeAt(this.#line.length - 1) === CR;
    const line = crlf ? this.#line.slice(0, -1) : this.#line;
    if (!crlf) this.careless = true;
    this.#line = "";
    if (this.#stage === "after") {
      this.#stage = "size";
      return line === "";
    }
    if (this.#stage === "trailer") {
      if (line === "") this.#stage = "ended";
      return true;
    }
    const match = SIZE_LINE.exec(line);
    this.#left = match ? Number.parseInt(match[1]!, 16) : -1;
    this.#stage = this.#left === 0 ? "trailer" : "data";
    return match !== null && Number.isSafeInteger(this.#left);
  }
}
