/**
 * Front queues: which band a URL's priority puts it in, and which band is served next.
 * Invariant: every band that has something is served in a bounded number of picks, the urgent ones more often.
 */

/** 0 to 1; anything that is no number counts as 0.5. */
export function clampPriority(priority: number): number {
  return Number.isFinite(priority) ? Math.min(1, Math.max(0, priority)) : 0.5;
}

/** Band 0 is for redirects and priority 1; the rest share the other bands evenly. */
export function bandOf(priority: number, bands: number): number {
  const clamped = clampPriority(priority);
  if (clamped >= 1) return 0;
  return Math.min(bands - 1, 1 + Math.floor((1 - clamped) * (bands - 1)));
}

/**
 * Stride scheduling over bands: band b has weight 2^(bands - 1 - b), so while others wait it gets that share of the
 * picks; the last band still gets one of 2^bands - 1.
 */
export class BandPicker {
  readonly #pass: Float64Array;
  readonly #stride: Float64Array;
  #clock = 0;

  constructor(bands: number) {
    this.#pass = new Float64Array(bands);
    this.#stride = Float64Array.from({ length: bands }, (_, band) => 2 ** band);
  }

  /**
   * The band to serve among those that `isFilled` says have something; -1 = none. A band that has nothing gets no credit
   * for that time.
   */
  pick(isFilled: (band: number) => boolean): number {
    let best = -1;
    for (let band = 0; band < this.#pass.length; band++) {
      if (!isFilled(band)) this.#pass[band] = Math.max(this.#pass[band]!, this.#clock);
      else if (best < 0 || this.#pass[band]! < this.#pass[best]!) best = band;
    }
    if (best >= 0) {
      this.#clock = this.#pass[best]!;
      this.#pass[best]! += this.#stride[best]!;
    }
    return best;
  }
}
