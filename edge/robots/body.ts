/**
 * A robots.txt body as text. RFC 9309 2.3 wants UTF-8; a byte that isn't becomes its percent-encoding, which means the
 * same in a path, so that a Latin-1 `Disallow: /café` still binds `/caf%E9`.
 * Invariant: total; at most LIMITS.robotsBytes are read (RFC 9309 2.5), and a line that the limit cuts is dropped,
 * for half a path forbids more than the whole one.
 */

import { LIMITS } from "../../protocol/limits.ts";

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The first `maxBytes` of the body, decoded; a byte order mark is dropped. */
export function decodeRobotsBody(bytes: Uint8Array, maxBytes: number = LIMITS.robotsBytes): string {
  return decodeText(bytes.length > maxBytes ? wholeLines(bytes, maxBytes) : bytes);
}

function wholeLines(bytes: Uint8Array, maxBytes: number): Uint8Array {
  const isEnd = (byte: number | undefined) => byte === 10 || byte === 13;
  if (isEnd(bytes[maxBytes])) return bytes.subarray(0, maxBytes);
  let end = maxBytes;
  while (end > 0 && !isEnd(bytes[end - 1])) end--;
  return bytes.subarray(0, end);
}

function decodeText(bytes: Uint8Array): string {
  const utf16 = utf16Label(bytes);
  if (utf16 !== undefined) return new TextDecoder(utf16).decode(bytes);
  const bare = bytes.subarray(markLength(bytes));
  try {
    return strict.decode(bare);
  } catch {
    return decodeOddBytes(bare);
  }
}

/** Not UTF-8 at all, but some editors save it so: a mark, and every other byte of the ASCII text behind it is zero. */
function utf16Label(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe && bytes[3] === 0) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff && bytes[2] === 0) return "utf-16be";
  return undefined;
}

/**
 * A byte order mark, or as much of one as stands there (google/robotstxt); also UTF-16's before text that isn't. Files that
 * were put together of files have several.
 */
function markLength(bytes: Uint8Array): number {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) return 2;
  let length = 0;
  while (bytes[length] === [0xef, 0xbb, 0xbf][length % 3]) length++;
  return length;
}

/** UTF-8 where it is valid, `%XX` for each other byte. */
function decodeOddBytes(bytes: Uint8Array): string {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    parts.push(strict.decode(bytes.subarray(start, at)), `%${bytes[at]!.toString(16).toUpperCase()}`);
    at++;
    start = at;
  }
  parts.push(strict.decode(bytes.subarray(start)));
  return parts.join("");
}

/** Length of the valid UTF-8 sequence at `at` (Unicode 3.9, table 3-7); 0 when there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return 1;
  const length = lead >= 0xc2 && lead <= 0xdf ? 2 : (lead & 0xf0) === 0xe0 ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  const second = bytes[at + 1]!;
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let i = 2; i < length; i++) if ((bytes[at + i]! & 0xc0) !== 0x80) return 0;
  return length;
}
