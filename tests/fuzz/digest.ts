/**
 * One hash over everything that was answered, in order: two runs that agree on it agree on every answer.
 * Invariant: fed with contents only, never with addresses.
 */

import type { Core } from "../../core-wasm/mod.ts";

const ROOM = 1 << 16;

export class Digest {
  readonly #core: Core;
  readonly #bytes: Uint8Array = new Uint8Array(ROOM);
  readonly #view: DataView;
  readonly #encoder = new TextEncoder();
  #used = 8;

  constructor(core: Core) {
    this.#core = core;
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** The hash so far takes the first eight bytes of what is hashed next. */
  #fold(): void {
    const hash = this.#core.xxh64(this.#bytes.subarray(0, this.#used));
    this.#view.setBigUint64(0, hash);
    this.#used = 8;
  }

  bytes(bytes: Uint8Array): void {
    this.number(bytes.length);
    for (let at = 0; at < bytes.length;) {
      if (this.#used === ROOM) this.#fold();
      const part = bytes.subarray(at, at + ROOM - this.#used);
      this.#bytes.set(part, this.#used);
      this.#used += part.length;
      at += part.length;
    }
  }

  text(text: string): void {
    if (ROOM - this.#used < text.length * 3 + 4) this.#fold();
    if (text.length * 3 + 4 > ROOM - 8) return this.bytes(this.#encoder.encode(text));
    const { written } = this.#encoder.encodeInto(text, this.#bytes.subarray(this.#used + 4));
    this.#view.setUint32(this.#used, written);
    this.#used += written + 4;
  }

  number(value: number): void {
    if (this.#used + 4 > ROOM) this.#fold();
    this.#view.setInt32(this.#used, value);
    this.#used += 4;
  }

  long(value: bigint): void {
    if (this.#used + 8 > ROOM) this.#fold();
    this.#view.setBigUint64(this.#used, value);
    this.#used += 8;
  }

  /** 16 hex digits. */
  end(): string {
    this.#fold();
    return this.#view.getBigUint64(0).toString(16).padStart(16, "0");
  }
}
