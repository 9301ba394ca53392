/**
 * Text of the page as the tokenizer emits it: references decoded, CR LF and CR made LF, NUL replaced where the state
 * says so (WHATWG HTML 13.2.3.5, 13.2.5).
 * Invariant: writes at most three bytes for each byte of source.
 */

import { AMP, CR, is, LF, ODD } from "./bytes";
import { reference, referenceBytes } from "./references";

export const REFERENCES_ON: u32 = 1;
export const IN_ATTRIBUTE: u32 = 2;
export const NUL_TO_REPLACEMENT: u32 = 4;

/** Decodes [from, end) to `out` and returns the bytes written. */
export function decode(from: usize, end: usize, out: usize, how: u32): usize {
  let p = from;
  let to = out;
  while (p < end) {
    const byte = <u32>load<u8>(p);
    if (!is(byte, ODD)) {
      store<u8>(to++, <u8>byte);
      p++;
    } else if (byte == CR) {
      store<u8>(to++, <u8>LF);
      p += p + 1 < end && <u32>load<u8>(p, 1) == LF ? 2 : 1;
    } else if (byte == AMP) {
      const taken = (how & REFERENCES_ON) != 0 ? reference(p, end, to, (how & IN_ATTRIBUTE) != 0) : 0;
      if (taken == 0) store<u8>(to++, <u8>AMP);
      else to += referenceBytes;
      p += taken == 0 ? 1 : taken;
    } else {
      if ((how & NUL_TO_REPLACEMENT) != 0) {
        store<u16>(to, 0xbfef);
        store<u8>(to, 0xbd, 2);
        to += 3;
      } else store<u8>(to++, 0);
      p++;
    }
  }
  return to - out;
}
