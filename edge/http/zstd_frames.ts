/**
 * Finds the frames of a zstd stream (RFC 8878 3.1) without decoding them: the runtimes' decoders stop after the first
 * frame or take a cut one for whole, so the boundaries have to be known beforehand.
 * Invariant: frames cover the input from its start without gaps; at most the last one is incomplete. Pure.
 */

export interface ZstdFrame {
  readonly start: number;
  readonly end: number;
  /** False when the input ends before the frame does. */
  readonly complete: boolean;
  /** Skippable frames (RFC 8878 3.1.2) hold no content. */
  readonly skippable: boolean;
  /** Bytes of history that the decoder must keep. */
  readonly windowBytes: number;
}

const MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a5;
/** A stream of more frames than this is taken for an attack on the decoder's start-up cost. */
export const MAX_ZSTD_FRAMES = 1024;

function uint(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let i = length - 1; i >= 0; i--) value = value * 256 + (bytes[at + i] ?? 0);
  return value;
}

interface Header {
  readonly length: number;
  readonly windowBytes: number;
  readonly checksum: boolean;
}

function header(bytes: Uint8Array, at: number): Header {
  const descriptor = bytes[at + 4] ?? 0;
  const singleSegment = (descriptor & 0x20) !== 0;
  const windowLength = singleSegment ? 0 : 1;
  const dictionaryLength = [0, 1, 2, 4][descriptor & 3]!;
  const sizeLength = [singleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  const window = bytes[at + 5] ?? 0;
  const windowBase = 2 ** (10 + (window >> 3));
  return {
    length: 5 + windowLength + dictionaryLength + sizeLength,
    windowBytes: singleSegment
      ? uint(bytes, at + 5 + dictionaryLength, sizeLength)
      : windowBase + (windowBase / 8) * (window & 7),
    checksum: (descriptor & 4) !== 0,
  };
}

/** Where the frame that starts at `at` ends; beyond the input when it is cut. */
function frameEnd(bytes: Uint8Array, at: number, { length, checksum }: Header): number {
  let cursor = at + length;
  for (;;) {
    const block = uint(bytes, cursor, 3);
    if (cursor + 3 > bytes.length) return Infinity;
    // An RLE block (type 1) is one byte that is repeated (RFC 8878 3.1.1.2).
    cursor += 3 + (((block >> 1) & 3) === 1 ? 1 : block >> 3);
    if ((block & 1) === 1) return cursor + (checksum ? 4 : 0);
    if (cursor > bytes.length) return Infinity;
  }
}

/** The frames of `bytes`; what follows the last and is no frame is left out. */
export function zstdFrames(bytes: Uint8Array): readonly ZstdFrame[] {
  const frames: ZstdFrame[] = [];
  let at = 0;
  while (at + 4 <= bytes.length && frames.length < MAX_ZSTD_FRAMES) {
    const magic = uint(bytes, at, 4);
    const skippable = Math.floor(magic / 16) === SKIPPABLE_MAGIC;
    if (!skippable && magic !== MAGIC) break;
    const head = skippable ? undefined : header(bytes, at);
    const end = head ? frameEnd(bytes, at, head) : at + 8 + uint(bytes, at + 4, 4);
    const complete = end <= bytes.length;
    frames.push({
      start: at,
      end: Math.min(end, bytes.length),
      complete,
      skippable,
      windowBytes: head?.windowBytes ?? 0,
    });
    at = Math.min(end, bytes.length);
  }
  return frames;
}
