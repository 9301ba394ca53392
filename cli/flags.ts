/**
 * Readers of flag values. Each refuses with a sentence what it can't read: attempted, found, wanted.
 */

import { InvalidArgumentError } from "commander";

export interface Range {
  readonly least: number;
  readonly most?: number;
  readonly whole?: boolean;
}

/** A decimal number within the range. */
export function number(range: Range): (text: string) => number {
  const { least, most = Number.MAX_SAFE_INTEGER, whole = true } = range;
  return (text) => {
    const value = Number(text);
    const readable = /^\d+(\.\d+)?$/.test(text) && (!whole || Number.isSafeInteger(value));
    if (readable && value >= least && value <= most) return value;
    const wanted = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
    throw new InvalidArgumentError(`A ${whole ? "whole number" : "number"} ${wanted} is wanted.`);
  };
}

/** Gathers a flag that may be given several times. */
export function many(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** One of the words. */
export function oneOf<Word extends string>(words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const word = words.find((known) => known === text);
    if (word !== undefined) return word;
    throw new InvalidArgumentError(`One of ${words.join(", ")} is wanted.`);
  };
}

/** What names a worker or a region: it becomes part of paths and metrics. */
export function name(text: string): string {
  if (/^[A-Za-z0-9._-]{1,64}$/.test(text) && !text.startsWith(".")) return text;
  throw new InvalidArgumentError(
    "1 to 64 letters, digits, dots, hyphens or underscores are wanted, not beginning with a dot.",
  );
}

/** A folder's path. "" would be the root of the disk. */
export function folder(text: string): string {
  if (text.trim() !== "" && !text.includes("\0")) return text;
  throw new InvalidArgumentError("The path of a folder is wanted.");
}
