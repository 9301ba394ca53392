/**
 * Inputs for whoever reads WARC files: sound ones, ours and others', with what bugs are made of done to them.
 * Invariant: seed and samples decide everything; an input has at most MOST_BYTES.
 */

import { gzipSync } from "node:zlib";
import type { Chance } from "./chance.ts";

export const MOST_BYTES = 400_000;

const encoder = new TextEncoder();
const decoder = new TextDecoder("latin1");
const latin1 = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

const LENGTHS = ["0", "-1", "3", "99999999999", "1e9", "9007199254740993", "0x10", " 7", "4294967296", "", "268435456"];
const LINES = [
  "WARC/1.1\r\n",
  "WARC/\r\n",
  "WARC/99.99\n",
  "Content-Length: 5\r\n",
  "WARC-Type: revisit\r\n",
  ": no name\r\n",
  " goes on\r\n",
  "\r\n\r\n",
  "\n\n",
  "HTTP/1.1 200 OK\r\n",
  "WARC-Payload-Digest: sha1:\r\n",
  "WARC-Block-Digest: md5:x\r\n",
  "WARC-Date: 9999-99-99T99:99:99Z\r\n",
  "Transfer-Encoding: chunked\r\n",
];
/** A member that inflates to 30 MB, and one in one. */
const BOMB = gzipSync(new Uint8Array(30_000_000), { level: 9 });
const RECORD_BOMB = gzipSync(encoder.encode("WARC/1.1\r\nContent-Length: 9\r\n\r\n" + "a".repeat(5_000_000)));

type Change = (bytes: Uint8Array, chance: Chance, samples: readonly Uint8Array[]) => Uint8Array;

function spliced(bytes: Uint8Array, at: number, removed: number, put: Uint8Array): Uint8Array {
  const end = Math.min(bytes.length, at + removed);
  const whole = new Uint8Array(at + put.length + bytes.length - end);
  whole.set(bytes.subarray(0, at));
  whole.set(put, at);
  whole.set(bytes.subarray(end), at + put.length);
  return whole;
}

const CHANGES: readonly Change[] = [
  function flipped(bytes, chance) {
    const changed = bytes.slice();
    for (let left = 1 + chance.below(8); left > 0; left--) changed[chance.below(bytes.length)] = chance.below(256);
    return changed;
  },
  function cut(bytes, chance) {
    return bytes.slice(0, chance.below(bytes.length));
  },
  function headless(bytes, chance) {
    return bytes.slice(chance.below(Math.min(bytes.length, 500)));
  },
  function removed(bytes, chance) {
    return spliced(bytes, chance.below(bytes.length), chance.below(2000), new Uint8Array(0));
  },
  function inserted(bytes, chance) {
    const noise = Uint8Array.from({ length: chance.below(300) }, () => chance.below(256));
    return spliced(bytes, chance.below(bytes.length), chance.below(20), noise);
  },
  function mixed(bytes, chance, samples) {
    const other = chance.pick(samples);
    const from = chance.below(other.length);
    return spliced(
      bytes,
      chance.below(bytes.length),
      chance.below(5000),
      other.subarray(from, from + chance.below(9000)),
    );
  },
  function magic(bytes, chance) {
    const heads = Uint8Array.from({ length: 30 }, (_, i) => [0x1f, 0x8b, 8, chance.below(32), 0, 0][i % 6]!);
    return spliced(bytes, chance.below(bytes.length), 0, heads);
  },
  function bomb(bytes, chance) {
    return spliced(bytes, chance.below(bytes.length), 0, chance.below(2) === 0 ? BOMB : RECORD_BOMB);
  },
  function lying(bytes, chance) {
    return latin1(
      decoder.decode(bytes).replace(
        /Content-Length: \d+/g,
        (stated) => chance.below(3) === 0 ? `Content-Length: ${chance.pick(LENGTHS)}` : stated,
      ),
    );
  },
  function lines(bytes, chance) {
    let text = decoder.decode(bytes);
    for (let left = 1 + chance.below(4); left > 0; left--) {
      const at = chance.below(text.length + 1);
      text = text.slice(0, at) + chance.pick(LINES) + text.slice(at);
    }
    return latin1(text);
  },
  function long(bytes, chance) {
    return spliced(bytes, chance.below(bytes.length), 0, encoder.encode(`X: ${"a".repeat(chance.below(150_000))}`));
  },
];

/** One input: a sample with one to four changes; some of them compressed afterwards, as one member. */
export function warcInput(chance: Chance, samples: readonly Uint8Array[]): Uint8Array {
  let bytes = chance.pick(samples);
  for (let left = 1 + chance.below(4); left > 0 && bytes.length > 0; left--) {
    bytes = chance.pick(CHANGES)(bytes, chance, samples).subarray(0, MOST_BYTES);
  }
  return chance.below(6) === 0 && bytes.length < 100_000 ? gzipSync(bytes) : bytes;
}
