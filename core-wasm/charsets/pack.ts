/**
 * Packs an index of the Encoding Standard (code points by pointer, null where there is none) into bytes that
 * assembly/charset/unpack.ts reads. Invariant: what is unpacked is what was packed; nothing is lost.
 *
 *   00-7F        the code point `byte` + 1 further on than the one before
 *   80-DF + u8   U+4E00 to U+ADFF: (byte - 0x80) * 256 + next byte
 *   E0-EF        1 to 16 pointers without a code point
 *   F0 + u8      17 to 272 of them
 *   F1 + u8      2 to 257 code points that follow the one before, each by one
 *   F2 + u16     any of the BMP
 *   F3 + u16     of plane 2
 */

export type Index = readonly (number | null)[];

const NEAR = 0x80;
const IDEOGRAPHS = 0x4e00;
const IDEOGRAPHS_END = IDEOGRAPHS + 0x60 * 256;
const PLANE_2 = 0x20000;

/** How many of the pointers from `at` are like the first. */
function runOf(index: Index, at: number, isLike: (pointer: number) => boolean, most: number): number {
  let length = 0;
  while (at + length < index.length && length < most && isLike(at + length)) length++;
  return length;
}

function packOne(code: number, before: number): number[] {
  const ahead = code - before - 1;
  if (ahead >= 0 && ahead < NEAR) return [ahead];
  if (code >= IDEOGRAPHS && code < IDEOGRAPHS_END) {
    return [0x80 + ((code - IDEOGRAPHS) >> 8), (code - IDEOGRAPHS) & 0xff];
  }
  if (code >= PLANE_2 && code < PLANE_2 + 0x10000) return [0xf3, code & 0xff, (code >> 8) & 0xff];
  if (code > 0xffff) throw new Error(`Packing an index found U+${code.toString(16)}; wanted the BMP or plane 2.`);
  return [0xf2, code & 0xff, code >> 8];
}

/** The packed bytes of `index`. */
export function pack(index: Index): number[] {
  const bytes: number[] = [];
  let before = 0;
  for (let at = 0; at < index.length;) {
    const holes = runOf(index, at, (pointer) => index[pointer] === null, 272);
    const follows = runOf(index, at, (pointer) => index[pointer] === before + 1 + pointer - at, 257);
    if (holes > 0) bytes.push(...(holes <= 16 ? [0xdf + holes] : [0xf0, holes - 17]));
    else if (follows >= 2) bytes.push(0xf1, follows - 2);
    else bytes.push(...packOne(index[at]!, before));
    if (holes > 0) at += holes;
    else {
      const taken = follows >= 2 ? follows : 1;
      at += taken;
      before = index[at - 1]!;
    }
  }
  return bytes;
}
