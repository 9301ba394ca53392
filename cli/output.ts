/**
 * What becomes of output that nobody takes: a reader that left (`| head -1`), a full disk behind `>`.
 * Invariant: it never ends the process by itself and shows no stack; a crawl goes on, for its work is in the data folder.
 */

import process from "node:process";

type OutputError = Error & { readonly code?: string };

/** Exit code when the reader of the output has gone (`| head`): what a shell shows for SIGPIPE. */
export const READER_GONE = 141;

let failed = false;
let last: Promise<unknown> = Promise.resolve();

/** To be called once, before anything is written. What a write failed with is told where it was made. */
export function guardOutput(): void {
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
}

/** For text that may be lost: progress, messages. */
export function writeLoosely(text: string): void {
  last = attempt(text).then((error) => {
    if (error === undefined || hasLeft(error) || failed) return;
    failed = true;
    process.stderr.write(`outrider: ${sentence(error)}\n`);
  });
}

/** Resolves when all that was written has been taken or lost; to false when some of it couldn't be written. */
export async function flushOutput(): Promise<boolean> {
  await last;
  return !failed;
}

/** Resolves when it was taken; to false when the reader has left. Rejects with a sentence when it can't be written. */
export async function writeOutput(text: string | Uint8Array): Promise<boolean> {
  const error = await attempt(text);
  if (error === undefined) return true;
  if (hasLeft(error)) return false;
  throw Object.assign(new Error(sentence(error)), { code: error.code ?? "EIO" });
}

/** Node tells a failure to the callback; Deno, which writes to a file at once, throws. */
function attempt(text: string | Uint8Array): Promise<OutputError | undefined> {
  return new Promise((resolve) => {
    if (text.length === 0) return resolve(undefined);
    try {
      process.stdout.write(text, (error?: OutputError | null) => resolve(error ?? undefined));
    } catch (error) {
      resolve(error as OutputError);
    }
  });
}

/** Closed pipes, and streams that an earlier error closed. */
function hasLeft({ code, message }: OutputError): boolean {
  return code === "EPIPE" || code === "ERR_STREAM_DESTROYED" || /EPIPE|broken pipe/i.test(message);
}

function sentence({ message }: OutputError): string {
  return `Writing to stdout failed: ${message}; a pipe, a terminal or a file with room left is wanted.`;
}
