/**
 * What the operating system refuses, as a sentence that names the file: its own messages often don't, and differ
 * between Deno and Bun.
 * Invariant: the code ("ENOSPC") stays on the error, so that whoever catches it can tell a full disk from a bug.
 */

/** Found and wanted, by code. */
const CAUSES: Readonly<Record<string, readonly [found: string, wanted: string]>> = {
  ENOSPC: ["the disk is full", "free space there and run the same command again"],
  EDQUOT: ["the disk quota is used up", "free space there and run the same command again"],
  EISDIR: ["a folder is there", "remove or rename it: a file is wanted"],
  ENOTDIR: ["a part of the path is a file", "remove or rename it: a folder is wanted"],
  EACCES: ["it may not be opened", "allow reading and writing, or name another data folder"],
  EPERM: ["it may not be changed", "allow reading and writing, or name another data folder"],
  EROFS: ["it can only be read", "allow writing, or name another data folder"],
  EMFILE: ["too many files are open", "raise the limit (ulimit -n)"],
  EIO: ["the disk reported an error", "check the disk and run the same command again"],
};

export class FileError extends Error {
  override readonly name = "FileError";
  readonly code: string;

  constructor(attempt: string, path: string, cause: Error & { readonly code?: string }) {
    const code = cause.code ?? "";
    const [found, wanted] = CAUSES[code] ?? ["the system refused it", "check that file and its disk"];
    super(`${attempt} ${path} failed: ${found} (${cause.message}); ${wanted}.`, { cause });
    this.code = code;
  }
}

/** Runs `work`; what it rejects with names the file. */
export async function namingFile<T>(attempt: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof FileError ? error : new FileError(attempt, path, error as Error);
  }
}

/** The first code ("ENOSPC", "SQLITE_FULL") along the chain of causes: this machine's trouble, and no bug. */
export function troubleCode(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    const { code } = at as { readonly code?: unknown };
    if (typeof code === "string" && /^(E[A-Z0-9]{2,15}|SQLITE_[A-Z_]+)$/.test(code)) return code;
  }
  return undefined;
}
