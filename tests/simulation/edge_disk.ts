/**
 * An edge's disk: the memory file system, with time and with faults, and gzip without threads.
 * Invariant: a crash leaves what was synced and, of the rest, a prefix by chance; a full disk is told before anything is
 * acknowledged.
 */

import type { Files, Gzip } from "../../runtime/ports.ts";
import { storedMember } from "../../runtime/stored_member.ts";
import type { MemoryFiles } from "../support/memory_files.ts";
import type { Chance } from "./chance.ts";
import type { Process } from "./machine.ts";
import type { Scheduler } from "./scheduler.ts";

/** The files as one process has them: each write takes a moment, and a death in it leaves it undone. */
export function slowFiles(
  files: MemoryFiles,
  parts: { scheduler: Scheduler; chance: Chance; process: Process },
): Files {
  const { scheduler, chance, process } = parts;
  const turn = () => scheduler.wait({ afterMs: chance.next() * 4, owner: process });
  return {
    async openAppend(path) {
      const opened = await files.openAppend(path);
      return {
        get size() {
          return opened.size;
        },
        append: (bytes) => opened.append(bytes),
        async sync() {
          await turn();
          await opened.sync();
        },
        close: () => opened.close(),
      };
    },
    read: (path) => files.read(path),
    readRange: (path, offset, length) => files.readRange(path, offset, length),
    async writeWhole(path, bytes) {
      await turn();
      await files.writeWhole(path, bytes);
    },
    truncate: (path, size) => files.truncate(path, size),
    rename: (from, to) => files.rename(from, to),
    remove: (path) => files.remove(path),
    list: (folder) => files.list(folder),
    size: (path) => files.size(path),
  };
}

/** Members whose data stand in them as they are: deflating is the runtime's business, and takes threads. */
export const storingGzip: Gzip = {
  store: storedMember,
  compress: (parts) => {
    const member = storedMember(parts);
    const bytes = new Uint8Array(member.length);
    member.writeTo(bytes, 0);
    return Promise.resolve(bytes);
  },
};
