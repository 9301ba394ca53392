/**
 * The slots that a shard doesn't work on, with what its database says of them.
 * Invariant: between two rounds the same as in the store. Looked at for every link, so an empty one costs next to nothing.
 */

import type { SlotMark } from "../../slot_ports.ts";

export class SlotMarks {
  readonly #marks = new Map<number, SlotMark>();

  has(slot: number): boolean {
    return this.#marks.size > 0 && this.#marks.has(slot);
  }

  get(slot: number): SlotMark | undefined {
    return this.#marks.get(slot);
  }

  all(): IterableIterator<SlotMark> {
    return this.#marks.values();
  }

  put(mark: SlotMark): void {
    this.#marks.set(mark.slot, mark);
  }

  remove(slot: number): void {
    this.#marks.delete(slot);
  }
}
