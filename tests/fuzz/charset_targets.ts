/**
 * The charsets alone: decoders, encoders and the detector over short inputs, as what goes wrong in them goes wrong
 * within a few bytes. Invariant: what is decoded is told in full; what is encoded has at most ten bytes a unit, `&#NNNNNNN;`.
 */

import type { Chance } from "./chance.ts";
import type { Target } from "./target.ts";

/** Labels of every decoder that isn't like another one, and none at all. */
export const CHARSETS =
  "utf-8 utf-16le utf-16be windows-1252 iso-8859-2 koi8-r shift_jis euc-jp iso-2022-jp gbk gb18030 big5 euc-kr x-user-defined replacement none"
    .split(" ");
const LABELS = CHARSETS.filter((label) => label !== "none");
const MOST_BYTES = 48;

/** Leads and trails of the charsets of two and more bytes, escape sequences, and what stands at their edges. */
const EDGES = [
  ...[0x00, 0x0e, 0x0f, 0x1b, 0x24, 0x28, 0x29, 0x30, 0x39, 0x40, 0x42, 0x4a, 0x49, 0x5c, 0x7e, 0x7f],
  ...[0x80, 0x81, 0x84, 0x8e, 0x8f, 0x90, 0x95, 0x9f, 0xa0, 0xa1, 0xa3, 0xb0, 0xc2, 0xc6, 0xc9, 0xd8, 0xdb],
  ...[0xdc, 0xdf, 0xe0, 0xe3, 0xed, 0xef, 0xf0, 0xf4, 0xf8, 0xfc, 0xfd, 0xfe, 0xff],
];
const ESCAPES = ["\x1b(B", "\x1b(J", "\x1b(I", "\x1b$@", "\x1b$B", "\x1b$(D", "\x1b(", "\x1b$"];
/** Code units at which the encoders turn: last of a block, halves of pairs, what only one charset has. */
const UNITS = [0x7f, 0x80, 0xa0, 0xa5, 0x203e, 0x20ac, 0x2212, 0x3000, 0x4e02, 0xd7ff, 0xd83d, 0xde00, 0xe000, 0xe5e5];

/** Writes a short run of bytes to `out`; its length. */
function makeBytes(chance: Chance, out: Uint8Array): number {
  const length = chance.below(MOST_BYTES);
  let at = 0;
  while (at < length) {
    const kind = chance.below(16);
    if (kind === 0) {
      for (const unit of chance.pick(ESCAPES)) if (at < length) out[at++] = unit.charCodeAt(0);
    } else out[at++] = kind < 6 ? chance.pick(EDGES) : kind < 13 ? 128 + chance.below(128) : chance.below(128);
  }
  return length;
}

function makeText(chance: Chance): string {
  const units = Array.from({ length: chance.below(24) }, () => {
    const kind = chance.below(8);
    if (kind < 2) return chance.below(128);
    if (kind < 4) return chance.pick(UNITS) + chance.below(3) - 1;
    return kind < 6 ? 0x3000 + chance.below(0x8000) : chance.below(65_536);
  });
  return String.fromCharCode(...units);
}

const decode: Target = ({ core, chance, digest }) => {
  const room = new Uint8Array(MOST_BYTES);
  return () => {
    const length = makeBytes(chance, room);
    digest.text(core.decode(room.subarray(0, length), chance.pick(LABELS)));
    return { inputs: 1, bytes: length };
  };
};

const encode: Target = ({ core, chance, digest }) => {
  let label = "";
  let left = 0;
  return () => {
    // Making an encoder's table takes as long as a hundred short texts.
    if (left-- <= 0) {
      label = chance.pick(LABELS);
      left = 200;
    }
    const text = makeText(chance);
    const bytes = core.encode(text, label);
    if (bytes.length > text.length * 10 + 8) {
      throw new Error(`Encoding ${text.length} units gave ${bytes.length} bytes.`);
    }
    digest.bytes(bytes);
    return { inputs: 1, bytes: text.length };
  };
};

const detect: Target = ({ core, chance, digest }) => {
  const room = new Uint8Array(MOST_BYTES);
  return () => {
    const length = makeBytes(chance, room);
    digest.text(core.detect(room.subarray(0, length)));
    return { inputs: 1, bytes: length };
  };
};

export const CHARSET_TARGETS = { decode, encode, detect } satisfies Record<string, Target>;
