/**
 * How long a server that stops waits for the requests it is answering.
 * Invariant: no timer is left behind.
 */

import { systemClock } from "./node.ts";

/** Longest wait for open requests when a server closes, ms; then they are cut off. */
const GRACE_MS = 5000;

/** True when `work` settled before the grace time was over. A failure of `work` is the caller's: it rejects. */
export async function settledWithin(work: Promise<unknown>, graceMs = GRACE_MS): Promise<boolean> {
  const cancel = new AbortController();
  const late = systemClock.sleep(graceMs, cancel.signal).then(() => false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    cancel.abort();
  }
}
