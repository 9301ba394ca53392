/**
 * After a crash or a power cut: cuts the file that was being written back to its last whole record.
 * Invariant: only bytes that no append acknowledged are cut; files that were closed aren't read.
 */

import type { Files, Gunzip } from "../../runtime/ports.ts";
import { wholeMembersEnd } from "./member_walk.ts";
import { loadState, saveState } from "./writer_state.ts";

export interface Repaired {
  readonly file: string;
  readonly cutBytes: number;
  /** Nothing whole was in it, so that it was removed. */
  readonly removed: boolean;
  /** Not a torn tail: whole records lie behind a broken one. The file was left as it is. */
  readonly damaged: boolean;
}

export interface RepairParts {
  /** The data folder and prefix of `openArchive`. */
  readonly folder: string;
  readonly storagePrefix: string;
  readonly files: Files;
  readonly gunzip: Gunzip;
}

/** Mends the archive's newest file where needed. Call before `openArchive`, while nobody writes. */
export async function repairFolder(parts: RepairParts): Promise<Repaired[]> {
  const { files, gunzip } = parts;
  const folder = `${parts.folder}/${parts.storagePrefix}warc`;
  const state = await loadState(files, folder) ?? await distrust(files, folder);
  if (state.file === undefined) return [];
  const path = `${folder}/${state.file}`;
  const size = await files.size(path);
  const repaired: Repaired[] = [];
  if (size !== undefined) {
    const from = state.wholeBytes <= size ? state.wholeBytes : 0;
    const { end, damaged } = await wholeMembersEnd({ files, gunzip, path, from });
    const removed = end === 0 && !damaged;
    if (removed) await files.remove(path);
    else if (end < size && !damaged) await files.truncate(path, end);
    if (end < size || removed || damaged) {
      repaired.push({ file: state.file, cutBytes: damaged ? 0 : size - end, removed, damaged });
    }
  }
  await saveState(files, folder, { file: undefined, wholeBytes: 0 });
  return repaired;
}

/** Without a state the newest file may be torn: names of one archive sort by time. */
async function distrust(files: Files, folder: string): Promise<{ file: string | undefined; wholeBytes: number }> {
  const names = (await files.list(folder)).filter((name) => name.endsWith(".warc.gz"));
  const stamp = (name: string) => /-(\d{17})-[0-9a-f]+-\d+\.warc\.gz$/.exec(name)?.[1] ?? "";
  const newest = names.reduce<string | undefined>(
    (best, name) => (best === undefined || stamp(name) >= stamp(best) ? name : best),
    undefined,
  );
  return { file: newest, wholeBytes: 0 };
}
