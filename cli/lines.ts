/**
 * Lines of a byte stream, ended by LF alone: U+2028, a lone CR and the like may stand inside a line of JSON.
 * Invariant: at most one line of `mostBytes` is held; of a longer one only the length is kept, and the next is read.
 */

export interface LongLine {
  readonly bytes: number;
}

/** The lines in order, decoded as UTF-8 (what isn't UTF-8 becomes U+FFFD), without their LF. */
export async function* linesOf(
  source: AsyncIterable<Uint8Array>,
  mostBytes: number,
): AsyncGenerator<string | LongLine, void> {
  const line = new PartialLine(mostBytes);
  for await (const chunk of source) {
    let at = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, at)) {
      line.add(chunk.subarray(at, end));
      yield line.take();
      at = end + 1;
    }
    line.add(chunk.subarray(at));
  }
  if (line.bytes > 0) yield line.take();
}

class PartialLine {
  readonly #mostBytes: number;
  readonly #decoder = new TextDecoder();
  #parts: Uint8Array[] = [];
  bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  add(part: Uint8Array): void {
    this.bytes += part.length;
    if (this.bytes > this.#mostBytes) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  /** The line; the next one begins. */
  take(): string | LongLine {
    const { bytes } = this;
    const parts = this.#parts;
    this.bytes = 0;
    this.#parts = [];
    if (bytes > this.#mostBytes) return { bytes };
    return this.#decoder.decode(parts.length === 1 ? parts[0]! : joined(parts, bytes));
  }
}

function joined(parts: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
