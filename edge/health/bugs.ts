/**
 * Faults of this program's own that one page or file brings to light: they are that page's end, not this machine's, or its
 * URL would stop the edge each time that it is leased.
 * Invariant: several in a row, with nothing that went well between, are taken for trouble of the machine: whatever is
 * broken then, no page is to be blamed for it.
 */

/** From so many in a row on it isn't the pages. */
const TOO_MANY = 3;

/** An engine says so of too little memory, in its own words. */
const NO_MEMORY = /alloc|memory/i;

/** True: thrown by the language itself over what our code did, not by storage, and not for want of memory. */
function isBug(error: unknown): error is Error {
  const isOurs = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError ||
    error instanceof SyntaxError || error instanceof URIError || error instanceof WebAssembly.RuntimeError;
  return isOurs && !("code" in error) && !NO_MEMORY.test(error.message);
}

export class Bugs {
  #inARow = 0;

  /** A page was worked on to its end. */
  nothing(): void {
    this.#inARow = 0;
  }

  /** True: the page is to be told as failed, with the sentence of `faultSentence`. False: it goes back. */
  isOfPage(error: unknown): error is Error {
    if (!isBug(error)) return false;
    return ++this.#inARow < TOO_MANY;
  }
}

export function faultSentence(url: string, error: Error): string {
  return `Working on ${url} failed by a fault of this program: ${error.name}: ${error.message}; please report it.`;
}
