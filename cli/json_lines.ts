/**
 * The inspection commands' way of talking: one JSON object a line on stdin, one answer a line on stdout, in order.
 * Invariant: every line of input that isn't blank has one line of output; a bad line is answered, never the end.
 */

import process from "node:process";
import { linesOf, type LongLine } from "./lines.ts";
import { READER_GONE, writeOutput } from "./output.ts";

/** Longest line that is read; a longer one is answered with an error. */
const LINE_BYTES = 64 * 1024 * 1024;
/** Characters of a bad line that its error shows. */
const SHOWN_CHARS = 60;
/** Answers are written in blocks of about this many characters. */
const BLOCK_CHARS = 64 * 1024;

/** Answers every line of stdin until it ends or nobody reads any more; blank lines are skipped. */
export async function answerLines(answer: (line: unknown) => object | Promise<object>): Promise<void> {
  let block = "";
  for await (const line of linesOf(process.stdin as AsyncIterable<Uint8Array>, LINE_BYTES)) {
    if (typeof line === "string" && line.trim() === "") continue;
    block += `${JSON.stringify(await answerOne(line, answer))}\n`;
    if (block.length < BLOCK_CHARS) continue;
    if (!await writeOutput(block)) break;
    block = "";
  }
  if (!await writeOutput(block)) process.exitCode = READER_GONE;
}

/** The answer to one line; `{"error"}` when it is too long, no JSON, or can't be answered. */
export async function answerOne(
  line: string | LongLine,
  answer: (line: unknown) => object | Promise<object>,
): Promise<object> {
  if (typeof line !== "string") {
    return { error: `Reading a line of ${line.bytes} bytes was refused; at most ${LINE_BYTES} are read.` };
  }
  try {
    return await answer(JSON.parse(line));
  } catch (error) {
    if (error instanceof SyntaxError) {
      // Not in the runtime's words: each has its own.
      const found = JSON.stringify(line.trim().slice(0, SHOWN_CHARS));
      return { error: `Reading a line as JSON failed: found ${found}, wanted one JSON object a line.` };
    }
    return { error: `Answering failed: ${(error as Error).message}` };
  }
}
