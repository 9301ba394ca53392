/**
 * A first-in first-out queue without the cost of shifting.
 * Invariant: what was pushed first comes first; the room of what was shifted is given back by and by.
 */

/** Shifted items above which the room is given back, once they are half of all. */
const SHIFTED_KEPT = 64;

export class Fifo<T> {
  #items: T[] = [];
  #start = 0;

  get size(): number {
    return this.#items.length - this.#start;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  first(): T | undefined {
    return this.#items[this.#start];
  }

  shift(): void {
    this.#start++;
    if (this.#start > SHIFTED_KEPT && this.#start * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#start);
      this.#start = 0;
    }
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let at = this.#start; at < this.#items.length; at++) yield this.#items[at]!;
  }
}
