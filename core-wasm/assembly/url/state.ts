/**
 * Where the parser stands. Invariant: [p, end) is unread input, `out` is the end of what is written since `start`;
 * there is always room for three bytes for each unread byte (see parse.ts).
 */

/** Bits of State.escapes. */
export const PATH_ESCAPES: u32 = 1;
export const QUERY_ESCAPES: u32 = 2;

export class State {
  static p: usize = 0;
  static end: usize = 0;
  static start: usize = 0;
  static out: usize = 0;
  /** Where the URL may have a "%"; a bit that isn't set is certain. */
  static escapes: u32 = 0;
}

/** The byte `ahead` of the next one, 0 past the end. */
// @ts-ignore: decorator
@inline
export function peek(ahead: usize = 0): u32 {
  return State.p + ahead < State.end ? load<u8>(State.p + ahead) : 0;
}

/** The offset of what is written next. */
// @ts-ignore: decorator
@inline
export function offset(): u32 {
  return <u32>(State.out - State.start);
}

// @ts-ignore: decorator
@inline
export function put(c: u32): void {
  store<u8>(State.out++, <u8>c);
}
