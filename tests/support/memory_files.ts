/**
 * The Files port in memory, with faults on demand: a disk of a given size, and a crash that keeps only what was synced.
 * Invariant: without faults it behaves as runtime/files.ts does, seen through the port.
 */

import type { AppendFile, Files } from "../../runtime/ports.ts";

interface Stored {
  bytes: Uint8Array;
  length: number;
  synced: number;
}

export class MemoryFiles implements Files {
  readonly #stored = new Map<string, Stored>();
  /** Bytes that fit; appends beyond write what fits and fail with ENOSPC. */
  capacityBytes = Infinity;
  /** The next syncs fail with EIO. */
  failingSyncs = 0;
  syncs = 0;
  openHandles = 0;

  get usedBytes(): number {
    let sum = 0;
    for (const { length } of this.#stored.values()) sum += length;
    return sum;
  }

  /** What a power cut leaves: synced bytes, and of the rest as many as `keepUnsynced` says. */
  crash(keepUnsynced: (path: string, unsynced: number) => number = () => 0): void {
    for (const [path, file] of this.#stored) {
      file.length = file.synced + Math.min(file.length - file.synced, keepUnsynced(path, file.length - file.synced));
      file.synced = file.length;
    }
  }

  paths(): string[] {
    return [...this.#stored.keys()].sort();
  }

  openAppend(path: string): Promise<AppendFile> {
    let file = this.#stored.get(path);
    if (!file) this.#stored.set(path, file = { bytes: new Uint8Array(1024), length: 0, synced: 0 });
    const opened = file;
    this.openHandles++;
    // deno-lint-ignore no-this-alias
    const disk = this;
    return Promise.resolve({
      get size() {
        return opened.length;
      },
      async append(bytes) {
        const fits = Math.max(0, Math.min(bytes.length, disk.capacityBytes - disk.usedBytes));
        grow(opened, bytes.subarray(0, fits));
        if (fits < bytes.length) throw failure("ENOSPC", "no space left on device");
      },
      async sync() {
        disk.syncs++;
        if (disk.failingSyncs > 0) {
          disk.failingSyncs--;
          throw failure("EIO", "i/o error");
        }
        opened.synced = opened.length;
      },
      async close() {
        disk.openHandles--;
      },
    });
  }

  read(path: string): Promise<Uint8Array | undefined> {
    const file = this.#stored.get(path);
    return Promise.resolve(file?.bytes.slice(0, file.length));
  }

  readRange(path: string, offset: number, length: number): Promise<Uint8Array | undefined> {
    const file = this.#stored.get(path);
    return Promise.resolve(file?.bytes.slice(Math.min(offset, file.length), Math.min(offset + length, file.length)));
  }

  async writeWhole(path: string, bytes: Uint8Array): Promise<void> {
    if (this.usedBytes + bytes.length > this.capacityBytes) throw failure("ENOSPC", "no space left on device");
    this.#stored.set(path, { bytes: bytes.slice(), length: bytes.length, synced: bytes.length });
  }

  async truncate(path: string, size: number): Promise<void> {
    const file = this.#stored.get(path);
    if (!file) throw failure("ENOENT", `no such file, truncate ${path}`);
    file.length = Math.min(file.length, size);
    file.synced = file.length;
  }

  async rename(from: string, to: string): Promise<void> {
    const file = this.#stored.get(from);
    if (!file) throw failure("ENOENT", `no such file, rename ${from}`);
    this.#stored.delete(from);
    this.#stored.set(to, file);
  }

  async remove(path: string): Promise<void> {
    this.#stored.delete(path);
  }

  async list(folder: string): Promise<string[]> {
    const names = new Set<string>();
    for (const path of this.#stored.keys()) {
      if (path.startsWith(`${folder}/`)) names.add(path.slice(folder.length + 1).split("/")[0]!);
    }
    return [...names].sort();
  }

  async size(path: string): Promise<number | undefined> {
    return this.#stored.get(path)?.length;
  }
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}

function grow(file: Stored, bytes: Uint8Array): void {
  if (file.length + bytes.length > file.bytes.length) {
    const larger = new Uint8Array(2 * (file.length + bytes.length));
    larger.set(file.bytes.subarray(0, file.length));
    file.bytes = larger;
  }
  file.bytes.set(bytes, file.length);
  file.length += bytes.length;
}
