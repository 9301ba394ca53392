/**
 * A disk of a few hundred kilobytes, in RAM, that can be full and then made larger.
 * Invariant: only where this user may mount; `MOUNT_ABSENT` says why not, for tests to skip by.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { temporaryFolder } from "./temporary.ts";

const mount = (...args: readonly string[]) => spawnSync("mount", args).status === 0;

/** Makes the folder `path` and mounts a disk of `size` there; false where this user can't. */
export function mountDisk(path: string, size: string): boolean {
  mkdirSync(path);
  return mount("-t", "tmpfs", "-o", `size=${size}`, "none", path);
}

export function resizeDisk(path: string, size: string): void {
  if (!mount("-o", `remount,size=${size}`, path)) throw new Error(`Making the disk at ${path} ${size} large failed.`);
}

/** The disk's files are found at `path` too. */
export function bindDisk(disk: string, path: string): void {
  if (!mount("--bind", disk, path)) throw new Error(`Binding the disk at ${disk} to ${path} failed.`);
}

export function unmountDisk(path: string): void {
  spawnSync("umount", [path]);
}

function mountAbsent(): string | undefined {
  const folder = temporaryFolder();
  const disk = folder.file("disk");
  const can = mountDisk(disk, "100k");
  if (can) unmountDisk(disk);
  void folder.remove();
  return can ? undefined : "this user can't mount a small disk";
}

export const MOUNT_ABSENT = mountAbsent();
