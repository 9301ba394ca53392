/**
 * What a seen-set counts of its work, and the alarm when its filters are wrong too often.
 * Invariant: counts only grow; the rate is that of the last whole window, so an old good time hides no bad one.
 */

/** New keys in one window of the false-positive rate. */
const WINDOW_KEYS = 10_000;
/** DESIGN 5: at most 1 % at design size. */
const ALARM_RATE = 0.01;

export class SeenTally {
  /** Keys that were asked about. */
  checks = 0;
  /** Keys that were new. */
  fresh = 0;
  /** Keys that a filter didn't deny, and those of them that were new after all. */
  positives = 0;
  falsePositives = 0;
  /** Blocks read from the store for answers. */
  blockReads = 0;
  /** Share of the new keys of the last window that a filter took for seen. */
  falsePositiveRate = 0;
  #windowFresh = 0;
  #windowFalse = 0;

  /** Closes the window when it is full. */
  note(): void {
    if (this.fresh - this.#windowFresh < WINDOW_KEYS) return;
    this.falsePositiveRate = (this.falsePositives - this.#windowFalse) / (this.fresh - this.#windowFresh);
    this.#windowFresh = this.fresh;
    this.#windowFalse = this.falsePositives;
  }

  /** A sentence when the filters are wrong more often than they may be; "" otherwise. */
  get problem(): string {
    if (this.falsePositiveRate <= ALARM_RATE) return "";
    const percent = (100 * this.falsePositiveRate).toFixed(2);
    return `its seen-set's filters took ${percent} % of new URLs for seen, at most 1 % is wanted; answers stay exact, but cost reads.`;
  }
}
