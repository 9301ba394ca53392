/**
 * How filters and indexes stand in a file: a header of 64 bytes, then the body. All words are little-endian.
 * Invariant: a snapshot that was cut, or of which any bit was changed, is refused in a sentence, never restored.
 */

import { BUFFER, put } from "./buffers.ts";
import type { SnapshotRefused } from "./core.ts";
import type { FilterDoor } from "./instance.ts";
import { KEY_VERSION } from "./key_version.ts";

export const SNAPSHOT_KIND = { filter: 1, nearIndex: 2, layers: 3 } as const;
export type SnapshotKind = typeof SNAPSHOT_KIND[keyof typeof SNAPSHOT_KIND];

const NAMES: Readonly<Record<SnapshotKind, string>> = { 1: "filter", 2: "index of fingerprints", 3: "layered filter" };
export const HEADER_BYTES = 64;
/** "OUTRSNAP". */
const MAGIC = 0x50414e535254554fn;
const FORMAT = 1;
/** Bytes of the header that are hashed; the checksum follows. */
const HASHED_BYTES = 56;

export interface SnapshotFacts {
  readonly kind: SnapshotKind;
  /** Position in the owner's log up to which the snapshot holds everything. */
  readonly position: bigint;
  readonly capacity: number;
  readonly count: number;
  readonly bodyBytes: number;
}

/** The header for a body whose XXH64 is `bodyHash`. `raw`: any instance, to hash with. */
export function writeHeader(raw: FilterDoor, facts: SnapshotFacts, bodyHash: bigint): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES);
  const view = new DataView(header.buffer);
  view.setBigUint64(0, MAGIC, true);
  view.setUint32(8, facts.kind, true);
  view.setUint16(12, FORMAT, true);
  view.setUint16(14, KEY_VERSION, true);
  view.setBigUint64(16, facts.position, true);
  view.setBigUint64(24, BigInt(facts.capacity), true);
  view.setBigUint64(32, BigInt(facts.count), true);
  view.setBigUint64(40, BigInt(facts.bodyBytes), true);
  view.setBigUint64(48, bodyHash, true);
  view.setBigUint64(56, hashOf(raw, header.subarray(0, HASHED_BYTES)), true);
  return header;
}

/** What the header at the start of `bytes` says; `bytes` may go on behind the snapshot. */
export function readHeader(
  raw: FilterDoor,
  bytes: Uint8Array,
  kind: SnapshotKind,
): (SnapshotFacts & { readonly bodyHash: bigint }) | SnapshotRefused {
  if (bytes.length < HEADER_BYTES) {
    return refused(kind, `${bytes.length} bytes were found, a header of ${HEADER_BYTES} is wanted`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  if (view.getBigUint64(0, true) !== MAGIC) return refused(kind, "the bytes don't begin as a snapshot does");
  if (view.getBigUint64(56, true) !== hashOf(raw, bytes.subarray(0, HASHED_BYTES))) {
    return refused(kind, "the header doesn't have its checksum");
  }
  if (view.getUint16(12, true) !== FORMAT) {
    return refused(kind, `format ${view.getUint16(12, true)} was found, ${FORMAT} is wanted`);
  }
  if (view.getUint16(14, true) !== KEY_VERSION) {
    return refused(kind, `it is of key version ${view.getUint16(14, true)}, ${KEY_VERSION} is wanted`);
  }
  if (view.getUint32(8, true) !== kind) return refused(kind, "it is a snapshot of something else");
  const bodyBytes = Number(view.getBigUint64(40, true));
  if (bytes.length < HEADER_BYTES + bodyBytes) {
    return refused(kind, `${bytes.length - HEADER_BYTES} bytes of ${bodyBytes} were found: it was cut`);
  }
  return {
    kind,
    position: view.getBigUint64(16, true),
    capacity: Number(view.getBigUint64(24, true)),
    count: Number(view.getBigUint64(32, true)),
    bodyBytes,
    bodyHash: view.getBigUint64(48, true),
  };
}

export function refused(kind: SnapshotKind, found: string): SnapshotRefused {
  return { error: `Restoring a ${NAMES[kind]} from its snapshot failed: ${found}; build it anew from the log.` };
}

export function hashOf(raw: FilterDoor, bytes: Uint8Array): bigint {
  return BigInt.asUintN(64, raw.raw_xxh64(put(raw, BUFFER.input, bytes), bytes.length));
}

/** XXH64 of bytes that lie in the core. */
export function hashAt(raw: FilterDoor, address: number, length: number): bigint {
  return BigInt.asUintN(64, raw.raw_xxh64(address, length));
}
