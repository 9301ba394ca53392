/**
 * The fingerprints that an index holds, as a set: whether the very same one is held is asked before each addition, and its
 * buckets (tables.ts) may have thousands.
 * Invariant: open addressing, never more than two places of three taken, so that a search ends after a few.
 */

/** Bytes of a set for `capacity` fingerprints. */
export function heldBytes(capacity: u32): u64 {
  return (<u64>capacity + (capacity >> 1) + 2) << 3;
}

let places: usize = 0;
let placeCount: u64 = 0;
/** An empty place is 0, so that 0 is kept beside. */
let holdsZero = false;

/** `at`: heldBytes(capacity) bytes of zeros. */
export function openHeld(at: usize, capacity: u32): void {
  places = at;
  placeCount = heldBytes(capacity) >> 3;
}

/** Holds nothing again. */
export function clearHeld(): void {
  memory.fill(places, 0, <usize>placeCount << 3);
  holdsZero = false;
}

/** The place of `fingerprint`, or the empty one where it would stand. */
function find(fingerprint: u64): usize {
  // Fingerprints need not be spread over their bits: one multiplication does that, with the upper half of its product.
  const hash = (fingerprint ^ (fingerprint >> 32)) * 0x9e3779b97f4a7c15;
  let place = ((hash >> 32) * placeCount) >> 32;
  while (true) {
    const at = places + (<usize>place << 3);
    const found = load<u64>(at);
    if (found == fingerprint || found == 0) return at;
    place = place + 1 == placeCount ? 0 : place + 1;
  }
}

/** Adds it; false when it was there. */
export function hold(fingerprint: u64): bool {
  if (fingerprint == 0) {
    const isNew = !holdsZero;
    holdsZero = true;
    return isNew;
  }
  const at = find(fingerprint);
  if (load<u64>(at) != 0) return false;
  store<u64>(at, fingerprint);
  return true;
}

export function isHeld(fingerprint: u64): bool {
  return fingerprint == 0 ? holdsZero : load<u64>(find(fingerprint)) != 0;
}
