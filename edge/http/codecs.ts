/**
 * The runtime's decoders for the content-codings of RFC 9110 8.4.1, RFC 7932 and RFC 9659, behind one shape.
 * Invariant: no call yields more than `capBytes`, and none throws: what went wrong is undefined or a value.
 */

import { Buffer } from "node:buffer";
import * as zlib from "node:zlib";

export interface Codec {
  /** The whole of `bytes` decoded in this thread; undefined when it is cut, corrupt or larger than the cap. */
  whole(bytes: Uint8Array, capBytes: number): Uint8Array | undefined;
  /**
   * Decodes piece by piece in the thread pool and stops at the cap. With `cutAllowed` an input that ends before its
   * stream gives what it holds; without, it is an error.
   */
  run(bytes: Uint8Array, capBytes: number, cutAllowed: boolean): Promise<Run>;
}

export interface Run {
  readonly bytes: Uint8Array;
  /** end: the input is used up. cap: there is more. error: the rest can't be decoded, `bytes` may lack its last part. */
  readonly how: "end" | "cap" | "error";
}

/** Options of all decoders that are used here. */
interface Options {
  maxOutputLength?: number;
  finishFlush?: number;
  chunkSize?: number;
}

interface Native {
  readonly sync: (bytes: Uint8Array, options: Options) => Buffer;
  readonly create: (options: Options) => zlib.Gunzip;
  /** The flush that makes a decoder give what it has at an early end. */
  readonly cutFlush: number;
  /** Bytes that the decoded body will probably have: what is allocated at once. */
  readonly guess?: (bytes: Uint8Array) => number;
}

/** Input is fed in pieces of this size, so that a bomb is noticed soon. */
const PIECE_BYTES = 16 * 1024;

/** Decoders allocate their output in chunks: one that is too large costs as much as the decoding of a small page. */
const LEAST_CHUNK_BYTES = 1024;
const MOST_CHUNK_BYTES = 512 * 1024;

const { constants } = zlib;

/** A view of the same bytes that is a plain Uint8Array, as the ports promise. */
export function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

function joined(parts: readonly Uint8Array[], capBytes: number): Uint8Array {
  return plain(Buffer.concat(parts)).subarray(0, capBytes);
}

interface Finished extends Run {
  readonly consumedBytes: number;
}

/**
 * A stream of our own and not the module's callback functions: on Deno those lose an error that comes after the first
 * output, and it ends the process.
 */
function runOf(native: Native, bytes: Uint8Array, capBytes: number, options: Options): Promise<Finished> {
  return new Promise((resolve) => {
    const decoder = native.create(options);
    const parts: Uint8Array[] = [];
    let total = 0;
    let done = false;
    const finish = (how: Run["how"]) => {
      if (done) return;
      done = true;
      resolve({ bytes: joined(parts, capBytes), how, consumedBytes: decoder.bytesWritten });
      decoder.destroy();
    };
    decoder.on("data", (part: Uint8Array) => {
      if (done) return;
      parts.push(part);
      total += part.length;
      if (total > capBytes) finish("cap");
    });
    decoder.on("end", () => finish("end"));
    decoder.on("error", () => finish("error"));
    const feed = (at: number): void => {
      if (done) return;
      if (at >= bytes.length) decoder.end();
      else decoder.write(bytes.subarray(at, at + PIECE_BYTES), () => feed(at + PIECE_BYTES));
    };
    feed(0);
  });
}

function codec(native: Native): Codec {
  return {
    whole(bytes, capBytes) {
      try {
        const chunkSize = Math.min(Math.max(native.guess?.(bytes) ?? 0, LEAST_CHUNK_BYTES), MOST_CHUNK_BYTES);
        // The limit can't be 0; an empty frame after a full one may meet that cap.
        const out = native.sync(bytes, { chunkSize, maxOutputLength: Math.max(1, capBytes) });
        return out.length <= capBytes ? plain(out) : undefined;
      } catch {
        return undefined;
      }
    },
    run: (bytes, capBytes, cutAllowed) =>
      runOf(native, bytes, capBytes, cutAllowed ? { finishFlush: native.cutFlush } : {}),
  };
}

const inflating = { cutFlush: constants.Z_SYNC_FLUSH, guess: (bytes: Uint8Array) => bytes.length * 6 };

/** ISIZE, the last four bytes (RFC 1952 2.3.1): only a guess, as anybody may write it. One byte more ends in one go. */
function gzipSize(bytes: Uint8Array): number {
  const at = bytes.length - 4;
  if (at < 0) return 0;
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | ((bytes[at + 3]! & 0x7f) << 24)) + 1;
}

export const gzipCodec = codec({
  sync: zlib.gunzipSync as Native["sync"],
  create: zlib.createGunzip,
  ...inflating,
  guess: gzipSize,
});

export const zlibCodec = codec({
  sync: zlib.inflateSync as Native["sync"],
  create: zlib.createInflate as Native["create"],
  ...inflating,
});

export const rawDeflateCodec = codec({
  sync: zlib.inflateRawSync as Native["sync"],
  create: zlib.createInflateRaw as Native["create"],
  ...inflating,
});

export const zstdFrameCodec = codec({
  sync: zlib.zstdDecompressSync as unknown as Native["sync"],
  create: zlib.createZstdDecompress as unknown as Native["create"],
  cutFlush: constants.ZSTD_e_flush,
  guess: (bytes) => bytes.length * 8,
});

const brotli: Native = {
  sync: zlib.brotliDecompressSync as Native["sync"],
  create: zlib.createBrotliDecompress as unknown as Native["create"],
  cutFlush: constants.BROTLI_OPERATION_FLUSH,
};

const BROTLI_CHUNK_BYTES = 32 * 1024;

/** One byte beyond the body: a decoder that has seen the stream's end leaves it alone. */
function padded(bytes: Uint8Array): Uint8Array {
  const longer = new Uint8Array(bytes.length + 1);
  longer.set(bytes);
  return longer;
}

/**
 * Deno's brotli takes a cut or corrupt stream for whole. Whether it saw the end is told by how much it consumed:
 * all of the body, and not the byte after it.
 */
function brotliWhole(bytes: Uint8Array, capBytes: number): Uint8Array | undefined {
  try {
    const options = { maxOutputLength: Math.max(1, capBytes), chunkSize: BROTLI_CHUNK_BYTES, info: true } as Options;
    const out = brotli.sync(padded(bytes), options) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
    return out.engine.bytesWritten === bytes.length ? plain(out.buffer) : undefined;
  } catch {
    return undefined;
  }
}

export const brotliCodec: Codec = {
  whole: brotliWhole,
  async run(bytes, capBytes, cutAllowed) {
    if (cutAllowed) return await runOf(brotli, bytes, capBytes, { finishFlush: brotli.cutFlush });
    const out = await runOf(brotli, padded(bytes), capBytes, {});
    return out.how === "end" && out.consumedBytes > bytes.length ? { bytes: out.bytes, how: "error" } : out;
  },
};
