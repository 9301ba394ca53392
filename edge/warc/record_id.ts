/**
 * Record ids (ISO 28500 5.2) from names: `urn:uuid:` of version 5 (RFC 9562 5.5).
 * Invariant: one name has one id for ever, so that a capture written twice is recognised as one.
 */

import type { Digest } from "../../runtime/ports.ts";

/** Our namespace, drawn once. RFC 9562 5.5 hashes its 16 bytes before the name. */
// deno-fmt-ignore
const NAMESPACE = new Uint8Array([
  0x6f, 0x1c, 0x0a, 0x52, 0x8d, 0x5e, 0x4b, 0x0f, 0x9a, 0x3b, 0x27, 0xd4, 0x71, 0xe6, 0xc5, 0x98,
]);

const encoder = new TextEncoder();

/** `<urn:uuid:…>` for `name`, with the angle brackets of a record id field. */
export function recordId(name: string, digest: Pick<Digest, "sha1Hex">): string {
  const hex = digest.sha1Hex(NAMESPACE, encoder.encode(name));
  // The version stands in digit 12, the variant (binary 10) in the upper half of digit 16 (RFC 9562 4.1, 4.2).
  const variant = "89ab"[Number.parseInt(hex[16]!, 16) & 3]!;
  return `<urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${
    hex.slice(20, 32)
  }>`;
}
