/**
 * Where the parts of a URL lie in its href, and the two URLs that are known at a time: the one being parsed, the base.
 * Invariant: offsets count from the href's start and ascend in the order in which they are declared.
 */

export const KIND_OTHER: u32 = 0;
export const KIND_HTTP: u32 = 1;
export const KIND_HTTPS: u32 = 2;
export const KIND_WS: u32 = 3;
export const KIND_WSS: u32 = 4;
export const KIND_FTP: u32 = 5;
export const KIND_FILE: u32 = 6;

// @ts-ignore: decorator
@unmanaged
export class Parts {
  /** One of KIND_*; all but KIND_OTHER are special (URL Standard 4.2). */
  kind: u32;
  /** After the colon. */
  schemeEnd: u32;
  /** The host isn't null. */
  hasHost: u32;
  hasUserinfo: u32;
  hostStart: u32;
  hostEnd: u32;
  /** After the port; without a host, schemeEnd. A "/." may stand between here and pathStart (4.5, step 4). */
  authorityEnd: u32;
  opaque: u32;
  pathStart: u32;
  pathEnd: u32;
  /** The query includes its "?"; without one, pathEnd. */
  queryEnd: u32;
  end: u32;
}

const PARTS_BYTES: i32 = 48;

export const url: Parts = changetype<Parts>(memory.data(PARTS_BYTES, 8));
export const base: Parts = changetype<Parts>(memory.data(PARTS_BYTES, 8));

export function copyParts(to: Parts, from: Parts): void {
  for (let at: usize = 0; at < <usize>PARTS_BYTES; at += 16) {
    v128.store(changetype<usize>(to) + at, v128.load(changetype<usize>(from) + at));
  }
}

export function clearParts(parts: Parts): void {
  for (let at: usize = 0; at < <usize>PARTS_BYTES; at += 16) v128.store(changetype<usize>(parts) + at, i64x2.splat(0));
}

/** The kind that a lower-case scheme (without colon) names. */
export function kindOf(p: usize, len: usize): u32 {
  if (len == 5) return load<u32>(p) == 0x70747468 && load<u8>(p, 4) == 0x73 ? KIND_HTTPS : KIND_OTHER;
  if (len == 4) {
    const word = load<u32>(p);
    return word == 0x70747468 ? KIND_HTTP : word == 0x656c6966 ? KIND_FILE : KIND_OTHER;
  }
  if (len == 3) {
    const word: u32 = <u32>load<u16>(p) | (<u32>load<u8>(p, 2) << 16);
    return word == 0x707466 ? KIND_FTP : word == 0x737377 ? KIND_WSS : KIND_OTHER;
  }
  return len == 2 && load<u16>(p) == 0x7377 ? KIND_WS : KIND_OTHER;
}

/** 0 = none. */
export function defaultPort(kind: u32): u32 {
  if (kind == KIND_HTTP || kind == KIND_WS) return 80;
  if (kind == KIND_HTTPS || kind == KIND_WSS) return 443;
  return kind == KIND_FTP ? 21 : 0;
}
