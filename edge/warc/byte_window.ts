/**
 * A window that slides forward over a file, for readers that don't know beforehand how much they need.
 * Invariant: memory is the window, which only `extend` makes longer; bytes are read once, in order.
 */

import type { Files } from "../../runtime/ports.ts";

const READ_BYTES = 256 * 1024;

export class ByteWindow {
  readonly #files: Pick<Files, "readRange">;
  readonly #path: string;
  #buffer = new Uint8Array(0);
  #at = 0;
  #offset: number;
  #ended = false;

  constructor(files: Pick<Files, "readRange">, path: string, offset = 0) {
    this.#files = files;
    this.#path = path;
    this.#offset = offset;
  }

  /** Offset in the file of the window's first byte. */
  get offset(): number {
    return this.#offset;
  }

  /** What is in memory from `offset` on. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(this.#at);
  }

  /** The window reaches the end of the file. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Drops the first `count` bytes, which must be in the window. */
  advance(count: number): void {
    this.#at += count;
    this.#offset += count;
  }

  /** Makes the window longer: doubles it, or adds one read when it is short. A no-op at the end of the file. */
  async extend(): Promise<void> {
    if (this.#ended) return;
    const rest = this.bytes;
    const wanted = Math.max(READ_BYTES, rest.length);
    const more = await this.#files.readRange(this.#path, this.#offset + rest.length, wanted);
    if (!more || more.length < wanted) this.#ended = true;
    const buffer = new Uint8Array(rest.length + (more?.length ?? 0));
    buffer.set(rest);
    if (more) buffer.set(more, rest.length);
    this.#buffer = buffer;
    this.#at = 0;
  }
}
