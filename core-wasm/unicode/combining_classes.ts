/**
 * Canonical combining classes, found out from what the runtime's normalisation puts in which order: no package with
 * data of the newest Unicode version carries them.
 * Invariant: exact, as classes never change once given, and one known mark of each class is compared with.
 */

import { CODE_POINTS } from "./ranges.ts";

/** Each class and a mark that has it (UnicodeData.txt, field 3). */
const KNOWN: readonly (readonly [combiningClass: number, mark: number])[] = [
  [1, 0x0334],
  [6, 0x16ff0],
  [7, 0x093c],
  [8, 0x3099],
  [9, 0x094d],
  [10, 0x05b0],
  [11, 0x05b1],
  [12, 0x05b2],
  [13, 0x05b3],
  [14, 0x05b4],
  [15, 0x05b5],
  [16, 0x05b6],
  [17, 0x05b7],
  [18, 0x05b8],
  [19, 0x05b9],
  [20, 0x05bb],
  [21, 0x05bc],
  [22, 0x05bd],
  [23, 0x05bf],
  [24, 0x05c1],
  [25, 0x05c2],
  [26, 0xfb1e],
  [27, 0x064b],
  [28, 0x064c],
  [29, 0x064d],
  [30, 0x0618],
  [31, 0x0619],
  [32, 0x061a],
  [33, 0x0651],
  [34, 0x0652],
  [35, 0x0670],
  [36, 0x0711],
  [84, 0x0c55],
  [91, 0x0c56],
  [103, 0x0e38],
  [107, 0x0e48],
  [118, 0x0eb8],
  [122, 0x0ec8],
  [129, 0x0f71],
  [130, 0x0f72],
  [132, 0x0f74],
  [202, 0x0321],
  [214, 0x1dce],
  [216, 0x031b],
  [218, 0x1dfa],
  [220, 0x0316],
  [222, 0x059a],
  [224, 0x302e],
  [226, 0x1d16d],
  [228, 0x05ae],
  [230, 0x0300],
  [232, 0x0315],
  [233, 0x035c],
  [234, 0x035d],
  [240, 0x0345],
];

/** Normalisation puts `second` before `first`: its class is smaller, and neither is 0. */
function swaps(first: string, second: string): boolean {
  return (first + second).normalize("NFD") === second + first;
}

function classOf(mark: string): number {
  const zeroOrEqual = KNOWN.filter(([, known]) => {
    const other = String.fromCodePoint(known);
    return mark !== other && !swaps(mark, other) && !swaps(other, mark);
  });
  const self = KNOWN.find(([, known]) => String.fromCodePoint(known) === mark);
  if (self) return self[0];
  if (zeroOrEqual.length === KNOWN.length) return 0;
  if (zeroOrEqual.length !== 1) throw new Error(`U+${mark.codePointAt(0)!.toString(16)} has a class that KNOWN lacks.`);
  return zeroOrEqual[0]![0];
}

/**
 * The class of each code point; 0 for what decomposes, which is never asked for. `isMark` has a 1 for each mark. Throws
 * on a runtime that doesn't know one of them: its version number may be newer than its data.
 */
export function combiningClasses(isMark: Uint8Array): Uint8Array {
  const classes = new Uint8Array(CODE_POINTS);
  for (let cp = 0x300; cp < CODE_POINTS; cp++) {
    if (isMark[cp] === 0) continue;
    const mark = String.fromCodePoint(cp);
    if (!/\p{M}/u.test(mark)) {
      throw new Error(
        `This runtime doesn't know the mark U+${cp.toString(16)}; one with the data of its Unicode version is wanted.`,
      );
    }
    if (mark.normalize("NFD") === mark) classes[cp] = classOf(mark);
  }
  return classes;
}
