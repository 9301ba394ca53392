/**
 * A fault that the user can mend: its message is the sentence that is shown, without a stack.
 */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly exitCode: number;

  constructor(sentence: string, exitCode = 1) {
    super(sentence);
    this.exitCode = exitCode;
  }
}

/** Exit code of wrong usage: unknown flags, missing or malformed values. */
export const USAGE = 2;
