/**
 * Hashing bytes: the core's XXH64 against two other WASM ones, and against what a runtime has built in, for a URL's length
 * and a page's. Invariant: inputs rotate; the three XXH64 agree before anything is timed.
 */

import { createHash } from "node:crypto";
import { createXXHash64 } from "hash-wasm";
import xxhash from "xxhash-wasm";
import type { Core } from "../core-wasm/core.ts";
import { measure } from "./interleaved.ts";
import type { CoreRow } from "./report/core_row.ts";

const INPUTS = 64;

function inputsOf(bytes: number): Uint8Array[] {
  return Array.from({ length: INPUTS }, (_, seed) => {
    let state = seed + 1;
    return Uint8Array.from({ length: bytes }, () => state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0 >>> 8);
  });
}

/** Two 32-bit halves: weaker than XXH64, and as fast as JS gets. */
function hashByJs(bytes: Uint8Array): number {
  let a = 0x9e3779b9 | 0;
  let b = 0x85ebca6b | 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    a = Math.imul(a ^ byte, 0x9fb21c65);
    b = Math.imul(b ^ byte, 0x1e98df25);
  }
  return a ^ (b >>> 7);
}

/** Rows for 64 bytes and for 20 KB. */
export async function benchHash(core: Core): Promise<CoreRow[]> {
  const { h64Raw } = await xxhash();
  const hashWasm = await createXXHash64();
  const digest = (bytes: Uint8Array) => hashWasm.init().update(bytes).digest("hex");
  for (const bytes of inputsOf(100)) {
    const hex = core.xxh64(bytes).toString(16).padStart(16, "0");
    if (h64Raw(bytes) !== core.xxh64(bytes) || digest(bytes) !== hex) {
      throw new Error(
        `Comparing hashes found ${hex} by the core and ${digest(bytes)} by hash-wasm; one hash was wanted.`,
      );
    }
  }
  return [64, 20_480].flatMap((size) => {
    const inputs = inputsOf(size);
    const at = (turn: number) => inputs[turn % INPUTS]!;
    return measure({
      name: `hash of ${size} bytes`,
      opsPerCall: 1,
      candidates: {
        "JS 2 x 32 bits": (turn) => hashByJs(at(turn)),
        "WASM XXH64, raw door": (turn) => Number(core.xxh64(at(turn)) & 0xffn),
        "xxhash-wasm XXH64": (turn) => Number(h64Raw(at(turn)) & 0xffn),
        "hash-wasm XXH64": (turn) => digest(at(turn)).length,
        "node:crypto SHA-1": (turn) => createHash("sha1").update(at(turn)).digest()[0]!,
      },
    });
  });
}
