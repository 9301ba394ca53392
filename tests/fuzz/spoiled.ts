/**
 * Snapshots as a bad disk gives them back. Invariant: what is told to be whole is the very bytes; else at least one bit or
 * the length differs.
 */

import { HEADER_BYTES } from "../../core-wasm/snapshot.ts";
import type { Chance } from "./chance.ts";

export interface Spoiled {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
  readonly how: string;
}

/** The parts of a snapshot as the file they are written to. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** A restoring that comes as far as the body takes a new instance, which costs milliseconds: one in so many does. */
const DEEP = 4096;

/** What stops a restoring at the header: cut anywhere, bits flipped or bytes written in the header. Seldom anything else. */
export function spoil(chance: Chance, whole: Uint8Array): Spoiled {
  if (chance.below(DEEP) === 0) return spoilDeep(chance, whole);
  if (chance.below(4) === 0) {
    const end = chance.below(whole.length);
    return { bytes: whole.subarray(0, end), isWhole: false, how: `cut at ${end}` };
  }
  const bytes = whole.slice();
  for (let changes = 1 + chance.below(3); changes > 0; changes--) {
    const at = chance.below(HEADER_BYTES);
    bytes[at] = chance.below(2) === 0 ? bytes[at]! ^ (1 << chance.below(8)) : chance.below(256);
  }
  return compared(bytes, whole, "changed in its header");
}

/** Whole, lengthened, a stretch of zeros, one part written over another, bits flipped anywhere. */
function spoilDeep(chance: Chance, whole: Uint8Array): Spoiled {
  const at = chance.below(whole.length);
  const bytes = whole.slice();
  switch (chance.below(5)) {
    case 0:
      return { bytes, isWhole: true, how: "whole" };
    case 1: {
      const longer = joined([bytes, new Uint8Array(1 + chance.below(80))]);
      return { bytes: longer, isWhole: false, how: `lengthened to ${longer.length}` };
    }
    case 2:
      bytes.fill(0, at, at + 1 + chance.below(40));
      break;
    case 3:
      bytes.copyWithin(at, chance.below(bytes.length), bytes.length);
      break;
    default:
      bytes[at]! ^= 1 << chance.below(8);
  }
  return compared(bytes, whole, `changed from ${at}`);
}

function compared(bytes: Uint8Array, whole: Uint8Array, how: string): Spoiled {
  return { bytes, isWhole: bytes.every((byte, i) => byte === whole[i]), how };
}

/** Throws unless what is whole was restored, and what isn't was refused. */
export function judge(restored: object, { isWhole, how }: Spoiled): void {
  if (isWhole === ("error" in restored)) {
    throw new Error(`Restoring a snapshot that was ${how}: ${isWhole ? JSON.stringify(restored) : "it was taken."}`);
  }
}
