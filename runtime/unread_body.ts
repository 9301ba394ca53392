/**
 * What is left of a request's body when it has been answered.
 * Over HTTP/2 an answer that is whole before the body is makes the server reset the stream (RFC 9113 8.1, NO_ERROR), and
 * some clients (curl 7.88) then lose the answer: a refusal would be seen as a broken connection.
 * Invariant: bounded in bytes and in time, and never fails.
 */

/** A longer rest isn't waited for: its sender is stopped by the reset. */
const REST_BYTES = 64 * 1024;
/** A body that stands still isn't waited for any longer. */
const REST_MS = 1000;

/** Reads and drops what nobody read of the body, `mostMs` at most. */
export async function takeRest(request: Request, mostMs = REST_MS): Promise<void> {
  if (request.bodyUsed || request.body === null || request.body.locked) return;
  const reader = request.body.getReader();
  const give = () => void reader.cancel().catch(() => {});
  const timer = setTimeout(give, mostMs);
  try {
    for (let left = REST_BYTES; left > 0;) {
      const { done, value } = await reader.read();
      if (done) return;
      left -= value.byteLength;
    }
    give();
  } catch {
    // The sender has gone, and so has whoever wanted the answer.
  } finally {
    clearTimeout(timer);
  }
}
