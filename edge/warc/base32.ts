/**
 * Digest texts (ISO 28500 5.8): `algorithm:value`, the value in base32 or hex (any case), or base64.
 * Invariant: total; text in another alphabet has no bytes.
 */

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function decode(text: string, alphabet: string, bitsPerLetter: number): Uint8Array | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const letter of text.replace(/=+$/, "")) {
    const part = alphabet.indexOf(letter);
    if (part < 0) return undefined;
    value = ((value << bitsPerLetter) | part) & 0xffff;
    bits += bitsPerLetter;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((value >>> bits) & 0xff);
    }
  }
  return new Uint8Array(bytes);
}

/** The bytes that RFC 4648 base32 text stands for, or undefined when it isn't base32; any case, padding optional. */
export function fromBase32(text: string): Uint8Array | undefined {
  return decode(text.toUpperCase(), BASE32, 5);
}

/** As above for base64, in its plain and its URL alphabet. */
export function fromBase64(text: string): Uint8Array | undefined {
  return decode(text.replaceAll("-", "+").replaceAll("_", "/"), BASE64, 6);
}

/** Lower-case hex of `bytes`. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}
