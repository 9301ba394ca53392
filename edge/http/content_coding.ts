/**
 * Undoes the content-codings of a body (RFC 9110 8.4), also where it is cut, corrupt or a bomb.
 * Invariant: never throws, never yields more than the cap; if `problem` is absent, `bytes` is the whole content.
 */

import type { WholeGzip } from "../../runtime/ports.ts";
import { brotliCodec, type Codec, gzipCodec, rawDeflateCodec, zlibCodec, zstdFrameCodec } from "./codecs.ts";
import { Turns } from "./turns.ts";
import { MAX_ZSTD_FRAMES, zstdFrames } from "./zstd_frames.ts";

export interface Decoded {
  readonly bytes: Uint8Array;
  /** Why `bytes` is only a prefix (or still coded), as a sentence. */
  readonly problem?: string;
  /** True when the cap cut it. */
  readonly capped: boolean;
}

/** Bodies up to this size are decoded in place: cheaper than a trip to the thread pool. */
const IN_PLACE_BYTES = 64 * 1024;
/** As many as the thread pool has threads: more would only hold memory, some 20 MB each at the cap. */
const SLOW_DECODINGS = new Turns(4);
/** A server has no honest reason to code a body more often. */
const MAX_CODINGS = 4;
/** Up to here the exact end of the sound data is searched for, at some twenty decodings; of more the last part goes. */
const SEARCHED_BYTES = 4 * 1024 * 1024;
/** RFC 9659 3: a zstd content-coding needs at most 8 MB of window. */
const MAX_ZSTD_WINDOW_BYTES = 8 * 1024 * 1024;

/** The codings of all Content-Encoding headers in the order in which they were applied, lower-case. */
export function contentCodings(headers: readonly (readonly [string, string])[]): string[] {
  const codings: string[] = [];
  for (const field of headers) {
    const name = field[0];
    if (name.length !== 16 || name.toLowerCase() !== "content-encoding") continue;
    const value = field[1];
    if (value === "gzip") codings.push(value);
    else {for (const coding of value.split(",")) {
        const one = coding.trim().toLowerCase();
        if (one !== "" && one !== "identity") codings.push(one);
      }}
  }
  return codings;
}

/** Undoes `codings`, the last first. A promise only where the body is large or broken. */
export function decodeBody(
  body: Uint8Array,
  codings: readonly string[],
  capBytes: number,
  wholeGzip?: WholeGzip,
): Decoded | Promise<Decoded> {
  if (body.length === 0 || codings.length === 0) return capped(body, capBytes);
  if (codings.length === 1 && body.length <= IN_PLACE_BYTES) {
    const codec = codecOf(codings[0]!, body);
    const quick = codec === gzipCodec ? wholeGzip?.(body, capBytes) : undefined;
    const whole = quick ?? codec?.whole(body, capBytes);
    if (whole) return { bytes: whole, capped: false };
  }
  return SLOW_DECODINGS.take(() => decodeStack(body, codings, capBytes));
}

function capped(bytes: Uint8Array, capBytes: number): Decoded {
  if (bytes.length <= capBytes) return { bytes, capped: false };
  return { bytes: bytes.subarray(0, capBytes), capped: true, problem: capProblem("the body", capBytes) };
}

function capProblem(what: string, capBytes: number): string {
  return `Decoding ${what} stopped at the limit of ${capBytes} bytes; the rest is left out.`;
}

/** The codec whose `whole` can be tried at once; zstd has to be split into frames first. */
function codecOf(coding: string, body: Uint8Array): Codec | undefined {
  switch (coding) {
    case "gzip":
    case "x-gzip":
      return gzipCodec;
    case "deflate":
      return looksLikeZlib(body) ? zlibCodec : rawDeflateCodec;
    case "br":
      return brotliCodec;
    default:
      return undefined;
  }
}

/** RFC 1950 2.2. "deflate" means zlib, but some servers send the bare RFC 1951 stream. */
function looksLikeZlib(body: Uint8Array): boolean {
  return body.length >= 2 && (body[0]! & 0x0f) === 8 && ((body[0]! << 8) | body[1]!) % 31 === 0;
}

async function decodeStack(body: Uint8Array, codings: readonly string[], capBytes: number): Promise<Decoded> {
  if (codings.length > MAX_CODINGS) {
    return keptAsIs(body, `a body coded ${codings.length} times`, `wanted at most ${MAX_CODINGS} codings`, capBytes);
  }
  let step: Decoded = { bytes: body, capped: false };
  for (let i = codings.length - 1; i >= 0; i--) {
    const next = await decodeOne(step.bytes, codings[i]!, capBytes);
    const problem = step.problem ?? next.problem;
    step = { bytes: next.bytes, capped: step.capped || next.capped, ...(problem && { problem }) };
    if (next.bytes.length === 0) break;
  }
  return step;
}

function keptAsIs(body: Uint8Array, what: string, wanted: string, capBytes: number): Decoded {
  const cut = capped(body, capBytes);
  return { ...cut, problem: `Decoding ${what} was not tried: ${wanted}; it is kept as it came.` };
}

async function decodeOne(body: Uint8Array, coding: string, capBytes: number): Promise<Decoded> {
  if (coding === "zstd") return await decodeZstd(body, capBytes);
  const codec = codecOf(coding, body);
  if (!codec) {
    return keptAsIs(body, `the content-coding "${coding}"`, "wanted gzip, deflate, br or zstd", capBytes);
  }
  const gzip = codec === gzipCodec;
  if (gzip && !(body[0] === 0x1f && (body.length < 2 || body[1] === 0x8b))) {
    // Common on the web: the header says gzip, the body is plain.
    return keptAsIs(body, `the content-coding "${coding}"`, "the body does not begin with a gzip header", capBytes);
  }
  return await decodeWith(codec, body, coding, capBytes);
}

async function decodeWith(codec: Codec, body: Uint8Array, coding: string, capBytes: number): Promise<Decoded> {
  const whole = body.length <= IN_PLACE_BYTES ? codec.whole(body, capBytes) : undefined;
  if (whole) return { bytes: whole, capped: false };
  const strict = await codec.run(body, capBytes, false);
  if (strict.how === "end") return { bytes: strict.bytes, capped: false };
  const { bytes, how } = strict.how === "cap" ? strict : await codec.run(body, capBytes, true);
  if (how === "cap") return { bytes, capped: true, problem: capProblem(`the ${coding} body`, capBytes) };
  if (how === "error") {
    if (bytes.length <= SEARCHED_BYTES) return await longestPrefix(codec, body, coding, capBytes);
    return { bytes, capped: false, problem: `Decoding the ${coding} body found corrupt data after its beginning.` };
  }
  return { bytes, capped: false, problem: cutProblem(coding, body.length) };
}

function cutProblem(coding: string, length: number): string {
  return `Decoding the ${coding} body found its end after ${length} bytes, before the end of its ${coding} stream.`;
}

/**
 * A decoder that meets an error drops what it had in hand. The longest prefix of the input that still decodes gives
 * all that the data allow; found by halving, as an error at byte n stays for every longer prefix.
 */
async function longestPrefix(codec: Codec, body: Uint8Array, coding: string, capBytes: number): Promise<Decoded> {
  let good = 0;
  let bad = body.length;
  let best: Uint8Array = new Uint8Array(0);
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    const { bytes, how } = await codec.run(body.subarray(0, middle), capBytes, true);
    if (how === "error") bad = middle;
    else [good, best] = [middle, bytes];
  }
  // Bytes after a complete stream are no fault of the content: browsers drop them too. (A zstd frame has none.)
  const mayTrail = codec !== zstdFrameCodec;
  for (let end = good; mayTrail && end > 0 && end >= good - 2; end--) {
    const { bytes, how } = await codec.run(body.subarray(0, end), capBytes, false);
    if (how === "end" && bytes.length === best.length) return { bytes, capped: false };
  }
  return { bytes: best, capped: false, problem: `Decoding the ${coding} body found corrupt data near byte ${good}.` };
}

async function decodeZstd(body: Uint8Array, capBytes: number): Promise<Decoded> {
  const frames = zstdFrames(body);
  if (frames.length === 0) {
    return keptAsIs(body, 'the content-coding "zstd"', "the body does not begin with a zstd frame", capBytes);
  }
  const parts: Uint8Array[] = [];
  let left = capBytes;
  let last: Decoded = { bytes: body, capped: false };
  for (const frame of frames) {
    if (frame.skippable) continue;
    last = frame.windowBytes > MAX_ZSTD_WINDOW_BYTES
      ? { bytes: new Uint8Array(0), capped: false, problem: windowProblem(frame.windowBytes) }
      : await decodeZstdFrame(body.subarray(frame.start, frame.end), frame.complete, left);
    parts.push(last.bytes);
    left -= last.bytes.length;
    if (last.problem !== undefined) break;
  }
  const tooMany = frames.length >= MAX_ZSTD_FRAMES
    ? `Decoding the zstd body stopped after ${MAX_ZSTD_FRAMES} frames.`
    : undefined;
  const problem = last.problem ?? tooMany;
  return { bytes: joinParts(parts), capped: last.capped, ...(problem !== undefined && { problem }) };
}

async function decodeZstdFrame(frame: Uint8Array, complete: boolean, capBytes: number): Promise<Decoded> {
  if (complete) return await decodeWith(zstdFrameCodec, frame, "zstd", capBytes);
  const { bytes, how } = await zstdFrameCodec.run(frame, capBytes, true);
  if (how === "cap") return { bytes, capped: true, problem: capProblem("the zstd body", capBytes) };
  return { bytes, capped: false, problem: cutProblem("zstd", frame.length) };
}

function windowProblem(windowBytes: number): string {
  return `Decoding the zstd body was not tried: it asks for a window of ${windowBytes} bytes, at most ` +
    `${MAX_ZSTD_WINDOW_BYTES} are wanted (RFC 9659 3).`;
}

function joinParts(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
