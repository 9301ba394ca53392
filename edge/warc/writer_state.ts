/**
 * Which file is being written, and up to where it is known to be whole: what the repair after a crash starts from.
 * Invariant: the state names a file before the file exists; bytes before `wholeBytes` were synced and end a record.
 */

import type { Files } from "../../runtime/ports.ts";

export interface WriterState {
  /** Name within the archive's folder; undefined after a clean close. */
  readonly file: string | undefined;
  readonly wholeBytes: number;
}

const STATE_NAME = "writer.json";

/** Path of the state file of the archive whose WARC files lie in `folder`. */
export function statePath(folder: string): string {
  return `${folder}/${STATE_NAME}`;
}

export async function saveState(files: Files, folder: string, state: WriterState): Promise<void> {
  const text = JSON.stringify({ file: state.file ?? null, whole_bytes: state.wholeBytes });
  await files.writeWhole(statePath(folder), new TextEncoder().encode(text + "\n"));
}

/** The saved state, or undefined when there is none or it can't be read (then the repair trusts nothing). */
export async function loadState(files: Files, folder: string): Promise<WriterState | undefined> {
  const bytes = await files.read(statePath(folder));
  if (!bytes) return undefined;
  try {
    const saved = JSON.parse(new TextDecoder().decode(bytes)) as { file?: unknown; whole_bytes?: unknown };
    const wholeBytes = saved.whole_bytes;
    if (!Number.isSafeInteger(wholeBytes) || (wholeBytes as number) < 0) return undefined;
    if (saved.file === null) return { file: undefined, wholeBytes: 0 };
    if (typeof saved.file !== "string" || saved.file.includes("/")) return undefined;
    return { file: saved.file, wholeBytes: wholeBytes as number };
  } catch {
    return undefined;
  }
}
