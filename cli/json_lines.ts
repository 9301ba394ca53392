/**
 * The inspection commands' way of talking: one JSON object a line on stdin, one answer a line on stdout, in order.
 * Invariant: every line of input has one line of output; a bad line is answered, never the end.
 */

import process from "node:process";
import { createInterface } from "node:readline";

/** Longest line that is read, characters; a longer one is answered with an error. */
const LINE_CHARS = 64 * 1024 * 1024;
/** Answers are written in blocks of about this many characters. */
const BLOCK_CHARS = 64 * 1024;

/** Answers every line of stdin; blank lines are skipped. */
export async function answerLines(answer: (line: unknown) => object): Promise<void> {
  let block = "";
  for await (const text of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (text.trim() === "") continue;
    block += `${JSON.stringify(answerOne(text, answer))}\n`;
    if (block.length < BLOCK_CHARS) continue;
    await write(block);
    block = "";
  }
  await write(block);
}

/** The answer to one line of text; `{"error"}` when it is no JSON or can't be answered. */
export function answerOne(text: string, answer: (line: unknown) => object): object {
  if (text.length > LINE_CHARS) {
    return { error: `Reading a line of ${text.length} characters was refused; at most ${LINE_CHARS} are read.` };
  }
  try {
    return answer(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) {
      return { error: `Reading a line as JSON failed: ${error.message}; one JSON object a line is wanted.` };
    }
    return { error: `Answering failed: ${(error as Error).message}` };
  }
}

function write(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    if (text === "") resolve();
    else process.stdout.write(text, (error) => error ? reject(error) : resolve());
  });
}
