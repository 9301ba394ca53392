/**
 * How many leases of a worker may still ask for something. When none may, all that is left is waiting for the archive.
 */

export class Busy {
  #leases = 0;

  begin(): void {
    this.#leases++;
  }

  /** True: this was the last. */
  end(): boolean {
    return --this.#leases === 0;
  }
}
