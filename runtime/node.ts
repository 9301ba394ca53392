/**
 * The ports that `node:` modules serve on Deno and Bun alike.
 * Invariant: nothing here depends on which of the two it runs on.
 */

import { Buffer } from "node:buffer";
import { createHash, createHmac, type Hash, randomBytes, timingSafeEqual } from "node:crypto";
import { clearTimeout, setImmediate, setTimeout as delay } from "node:timers";
import { performance } from "node:perf_hooks";
import { createGzip, gzipSync } from "node:zlib";
import type { Clock, Digest, Gzip, Random, Signer } from "./ports.ts";
import { storedMember } from "./stored_member.ts";

/** Longest timer that every runtime keeps; longer sleeps are chained. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep,
};

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  // The next macrotask: the shortest timer takes a millisecond or more, and ten times the CPU.
  if (!(ms > 0)) return new Promise((resolve) => void setImmediate(() => resolve()));
  return new Promise((resolve) => {
    let left = ms;
    let timer: ReturnType<typeof delay>;
    const finish = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    const arm = () => {
      const step = Math.min(left, LONGEST_TIMER_MS);
      left -= step;
      timer = delay(() => (left > 0 ? arm() : finish()), step);
    };
    signal?.addEventListener("abort", finish, { once: true });
    arm();
  });
}

export const systemRandom: Random = {
  next: () => randomBytes(4).readUInt32LE(0) / 2 ** 32,
  hex: (bytes) => randomBytes(bytes).toString("hex"),
};

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Ten bits as two digits. */
const PAIRS = Array.from({ length: 1024 }, (_, bits) => BASE32[bits >>> 5]! + BASE32[bits & 31]!);

/** RFC 4648 base32 without padding. */
export function base32(bytes: Uint8Array): string {
  const whole = bytes.length - bytes.length % 5;
  let text = "";
  for (let i = 0; i < whole; i += 5) {
    const high = (bytes[i]! << 12) | (bytes[i + 1]! << 4) | (bytes[i + 2]! >>> 4);
    const low = ((bytes[i + 2]! & 15) << 16) | (bytes[i + 3]! << 8) | bytes[i + 4]!;
    text += PAIRS[high >>> 10]! + PAIRS[high & 1023]! + PAIRS[low >>> 10]! + PAIRS[low & 1023]!;
  }
  if (whole === bytes.length) return text;
  let bits = 0;
  for (let i = whole; i < whole + 4; i++) bits = (bits << 8) | (bytes[i] ?? 0);
  for (let left = (bytes.length - whole) * 8, at = 27; left > 0; left -= 5, at -= 5) {
    text += BASE32[at >= 0 ? (bits >>> at) & 31 : (bits << -at) & 31]!;
  }
  return text;
}

export const nativeDigest: Digest = {
  sha256Hex: (bytes) => createHash("sha256").update(bytes).digest("hex"),
  sha1Base32: (...parts) => base32(sha1(parts).digest()),
  sha1Hex: (...parts) => sha1(parts).digest("hex"),
};

/** `secret` in hex; at least 32 bytes, as long as what it makes (RFC 2104 3). */
export function hmacSigner(secret: string): Signer {
  const key = Buffer.from(secret, "hex");
  if (key.length < 32 || key.toString("hex") !== secret) {
    throw new Error("Making a signer failed: the secret isn't one; at least 32 bytes as lower-case hex are wanted.");
  }
  const sign = (text: string) => createHmac("sha256", key).update(text).digest("hex");
  return {
    sign,
    verify(text, signature) {
      const wanted = Buffer.from(sign(text));
      const found = Buffer.from(signature);
      return found.length === wanted.length && timingSafeEqual(found, wanted);
    },
  };
}

function sha1(parts: readonly Uint8Array[]): Hash {
  const hash = createHash("sha1");
  for (const part of parts) hash.update(part);
  return hash;
}

/** Records up to this size are compressed in place: cheaper than a trip to the thread pool. */
const SYNC_GZIP_BYTES = 256 * 1024;

export const nativeGzip: Gzip = {
  compress(parts) {
    const total = parts.reduce((sum, part) => sum + part.length, 0);
    if (total > SYNC_GZIP_BYTES) return compressStreamed(parts);
    return Promise.resolve(gzipSync(parts.length === 1 ? parts[0]! : concat(parts, total), { level: 4 }));
  },
  store: storedMember,
};

function compressStreamed(parts: readonly Uint8Array[]): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const gzip = createGzip({ level: 4 });
    const out: Uint8Array[] = [];
    gzip.on("data", (chunk: Uint8Array) => out.push(chunk));
    gzip.on("end", () => resolve(concat(out, out.reduce((sum, part) => sum + part.length, 0))));
    gzip.on("error", reject);
    for (const part of parts) gzip.write(part);
    gzip.end();
  });
}

/** `parts` in one array of `total` bytes. */
export function concat(parts: readonly Uint8Array[], total: number): Uint8Array {
  const whole = new Uint8Array(total);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
