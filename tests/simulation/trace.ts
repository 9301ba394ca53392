/**
 * What happened, folded into one number: two runs of a seed are the same run when it is the same.
 * Invariant: FNV-1a, 32 bits, over the text of every event that crosses between machines; no digits of priorities, whose
 * last bits engines may compute differently.
 */

export class Trace {
  #hash = 0x811c9dc5;
  /** Lines kept for a person, when one looks at a failing seed. */
  readonly lines: string[] | undefined;

  constructor(keepsLines: boolean) {
    this.lines = keepsLines ? [] : undefined;
  }

  add(now: number, text: string): void {
    const line = `${now.toFixed(3)} ${text}`;
    for (let i = 0; i < line.length; i++) this.#hash = Math.imul(this.#hash ^ line.charCodeAt(i), 0x01000193);
    this.lines?.push(line);
  }

  get hash(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, "0");
  }
}
