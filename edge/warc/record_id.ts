/**
 * Record ids (ISO 28500 5.2) from names: `urn:uuid:` of version 5 (RFC 9562 5.5).
 * Invariant: one name has one id for ever, so that a capture written twice is recognised as one.
 */

import type { Digest } from "../../runtime/ports.ts";
import { fromBase32, toHex } from "./base32.ts";

/** Our namespace, drawn once. RFC 9562 5.5 hashes its 16 bytes before the name. */
// deno-fmt-ignore
const NAMESPACE = new Uint8Array([
  0x6f, 0x1c, 0x0a, 0x52, 0x8d, 0x5e, 0x4b, 0x0f, 0x9a, 0x3b, 0x27, 0xd4, 0x71, 0xe6, 0xc5, 0x98,
]);

/** `<urn:uuid:…>` for `name`, with the angle brackets of a record id field. */
export function recordId(name: string, digest: Digest): string {
  const text = new TextEncoder().encode(name);
  const input = new Uint8Array(NAMESPACE.length + text.length);
  input.set(NAMESPACE);
  input.set(text, NAMESPACE.length);
  const bytes = fromBase32(digest.sha1Base32(input))!.slice(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = toHex(bytes);
  const groups = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return `<urn:uuid:${groups.join("-")}>`;
}
