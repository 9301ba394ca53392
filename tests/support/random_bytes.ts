/** Random bytes from a seed (xorshift32): the same on every runtime. */

/** Each call of the answer gives the next `length` bytes. */
export function randomBytes(seed: number): (length: number) => Uint8Array<ArrayBuffer> {
  let state = seed >>> 0 || 1;
  return (length) =>
    Uint8Array.from({ length }, () => {
      state ^= state << 13;
      state >>>= 0;
      state ^= state >>> 17;
      state ^= state << 5;
      state >>>= 0;
      return state >>> 11;
    });
}
