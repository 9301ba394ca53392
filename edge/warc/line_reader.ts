/**
 * Reads a file line by line through a sliding window.
 * Invariant: memory is bounded by the window and the longest line; a last line without a line end is a line too.
 */

import type { Files } from "../../runtime/ports.ts";
import { ByteWindow } from "./byte_window.ts";

const decoder = new TextDecoder();

export class LineReader {
  readonly #window: ByteWindow;

  constructor(files: Pick<Files, "readRange">, path: string) {
    this.#window = new ByteWindow(files, path);
  }

  /** The next line without its line end, or undefined at the end of the file. */
  async next(): Promise<string | undefined> {
    for (let searched = 0;;) {
      const bytes = this.#window.bytes;
      const end = bytes.indexOf(10, searched);
      if (end >= 0) {
        const line = decoder.decode(bytes.subarray(0, end));
        this.#window.advance(end + 1);
        return line;
      }
      if (this.#window.ended) {
        this.#window.advance(bytes.length);
        return bytes.length === 0 ? undefined : decoder.decode(bytes);
      }
      searched = bytes.length;
      await this.#window.extend();
    }
  }
}
