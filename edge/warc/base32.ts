/**
 * Digest texts (ISO 28500 5.8): `algorithm:value`, the value in base32 or hex, in any case.
 * Invariant: two texts are equal here exactly when they name the same bytes of the same algorithm.
 */

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The bytes that RFC 4648 base32 text stands for, or undefined when it isn't base32; padding is optional. */
export function fromBase32(text: string): Uint8Array | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const letter of text.toUpperCase().replace(/=+$/, "")) {
    const five = ALPHABET.indexOf(letter);
    if (five < 0) return undefined;
    value = ((value << 5) | five) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((value >>> bits) & 0xff);
    }
  }
  return new Uint8Array(bytes);
}

/** Lower-case hex of `bytes`. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}
