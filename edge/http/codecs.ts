/**
 * The runtime's decoders for the content-codings of RFC 9110 8.4.1, RFC 7932 and RFC 9659, behind one shape.
 * Invariant: no call yields more than `capBytes`, and none throws: what went wrong is undefined or a value.
 */

import { Buffer } from "node:buffer";
import * as zlib from "node:zlib";

export interface Codec {
  /** The whole of `bytes` decoded in this thread; undefined when it is cut, corrupt or larger than the cap. */
  whole(bytes: Uint8Array, capBytes: number): Uint8Array | undefined;
  /** The same in the thread pool. */
  wholeLater(bytes: Uint8Array, capBytes: number): Promise<Uint8Array | undefined>;
  /** What a cut input holds, in the thread pool; undefined when it is corrupt or larger than the cap. */
  cutLater(bytes: Uint8Array, capBytes: number): Promise<Uint8Array | undefined>;
  /** Decodes piece by piece and stops at the cap. Tells whole from cut only for brotli; the others' `whole` is strict. */
  streamed(bytes: Uint8Array, capBytes: number): Promise<Streamed>;
}

export interface Streamed {
  readonly bytes: Uint8Array;
  /** cut: the input ended before the stream. cap: there is more. error: the rest can't be decoded. */
  readonly how: "whole" | "cut" | "cap" | "error";
}

/** Options of all decoders that are used here. */
interface Options {
  maxOutputLength?: number;
  finishFlush?: number;
  chunkSize?: number;
  params?: Record<number, number>;
}

type Later = (bytes: Uint8Array, options: Options, done: (error: Error | null, out: Buffer) => void) => void;

interface Native {
  readonly sync: (bytes: Uint8Array, options: Options) => Buffer;
  readonly later: Later;
  readonly create: (options: Options) => zlib.Gunzip;
  /** The flush that makes a decoder give what it has at an early end. */
  readonly cutFlush: number;
  readonly options: Options;
}

/** Input is fed in pieces of this size, so that a bomb is noticed soon. */
const PIECE_BYTES = 16 * 1024;

const { constants } = zlib;

/** A view of the same bytes that is a plain Uint8Array, as the ports promise. */
export function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

function later(native: Native, bytes: Uint8Array, options: Options): Promise<Uint8Array | undefined> {
  return new Promise((resolve) => {
    native.later(bytes, { ...native.options, ...options }, (error, out) => resolve(error ? undefined : plain(out)));
  });
}

function joined(parts: readonly Uint8Array[], capBytes: number): Uint8Array {
  return plain(Buffer.concat(parts)).subarray(0, capBytes);
}

/** `atEnd` tells from the bytes that the decoder consumed whether it saw the end of the stream. */
function streamed(
  native: Native,
  bytes: Uint8Array,
  capBytes: number,
  atEnd: (consumedBytes: number) => "whole" | "cut",
): Promise<Streamed> {
  return new Promise((resolve) => {
    const decoder = native.create({ ...native.options, finishFlush: native.cutFlush });
    const parts: Uint8Array[] = [];
    let total = 0;
    let done = false;
    const finish = (how: Streamed["how"]) => {
      if (done) return;
      done = true;
      resolve({ bytes: joined(parts, capBytes), how });
      decoder.destroy();
    };
    decoder.on("data", (part: Uint8Array) => {
      if (done) return;
      parts.push(part);
      total += part.length;
      if (total > capBytes) finish("cap");
    });
    decoder.on("end", () => finish(atEnd(decoder.bytesWritten)));
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
  const { cutFlush: finishFlush } = native;
  return {
    whole(bytes, maxOutputLength) {
      try {
        return plain(native.sync(bytes, { ...native.options, maxOutputLength }));
      } catch {
        return undefined;
      }
    },
    wholeLater: (bytes, maxOutputLength) => later(native, bytes, { maxOutputLength }),
    cutLater: (bytes, maxOutputLength) => later(native, bytes, { maxOutputLength, finishFlush }),
    streamed: (bytes, capBytes) => streamed(native, bytes, capBytes, () => "cut"),
  };
}

const inflating = { cutFlush: constants.Z_SYNC_FLUSH, options: { chunkSize: 32 * 1024 } };

export const gzipCodec = codec({
  sync: zlib.gunzipSync as Native["sync"],
  later: zlib.gunzip as Later,
  create: zlib.createGunzip,
  ...inflating,
});

export const zlibCodec = codec({
  sync: zlib.inflateSync as Native["sync"],
  later: zlib.inflate as Later,
  create: zlib.createInflate as Native["create"],
  ...inflating,
});

export const rawDeflateCodec = codec({
  sync: zlib.inflateRawSync as Native["sync"],
  later: zlib.inflateRaw as Later,
  create: zlib.createInflateRaw as Native["create"],
  ...inflating,
});

export const zstdFrameCodec = codec({
  sync: zlib.zstdDecompressSync as unknown as Native["sync"],
  later: zlib.zstdDecompress as unknown as Later,
  create: zlib.createZstdDecompress as unknown as Native["create"],
  cutFlush: constants.ZSTD_e_flush,
  options: {},
});

const brotli: Native = {
  sync: zlib.brotliDecompressSync as Native["sync"],
  later: zlib.brotliDecompress as Later,
  create: zlib.createBrotliDecompress as unknown as Native["create"],
  cutFlush: constants.BROTLI_OPERATION_FLUSH,
  options: {},
};

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
function brotliWhole(bytes: Uint8Array, maxOutputLength: number): Uint8Array | undefined {
  try {
    const options = { maxOutputLength, info: true } as Options;
    const out = brotli.sync(padded(bytes), options) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
    return out.engine.bytesWritten === bytes.length ? plain(out.buffer) : undefined;
  } catch {
    return undefined;
  }
}

function brotliStreamed(bytes: Uint8Array, capBytes: number): Promise<Streamed> {
  return streamed(brotli, padded(bytes), capBytes, (consumed) => consumed <= bytes.length ? "whole" : "cut");
}

export const brotliCodec: Codec = {
  ...codec(brotli),
  whole: brotliWhole,
  streamed: brotliStreamed,
  async wholeLater(bytes, capBytes) {
    const out = await brotliStreamed(bytes, capBytes);
    return out.how === "whole" ? out.bytes : undefined;
  },
};
