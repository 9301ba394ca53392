/**
 * One process per data folder: a lock file that names its holder. A holder that died (kill -9, power cut) doesn't keep
 * it: the frontier's owner term is the fence that holds even where two processes get past this.
 */

import { mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import process from "node:process";
import { dataPaths } from "./data_folder.ts";
import { Fault } from "./fault.ts";

/** Takes the lock; resolves to what gives it back. Throws a Fault when a living process holds it. */
export function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = dataPaths(folder).lock;
  try {
    mkdirSync(folder, { recursive: true });
    take(path, folder);
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault(
      `Opening the data folder ${folder} failed: ${(error as Error).message}; a folder that can be written is wanted.`,
    );
  }
  return Promise.resolve(() => {
    if (holderOf(path) === process.pid) unlinkSync(path);
    return Promise.resolve();
  });
}

function take(path: string, folder: string): void {
  for (let tries = 0; tries < 2; tries++) {
    try {
      writeFileSync(path, `${process.pid}\n`, { flag: "wx" });
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== "EEXIST") throw error;
    }
    const holder = holderOf(path);
    if (holder !== undefined && holder !== process.pid && isAlive(holder)) {
      throw new Fault(
        `The data folder ${folder} is in use by process ${holder}; wait for it, stop it, or name another folder with --data (if that process isn't Outrider, remove ${path}).`,
      );
    }
    unlinkSync(path);
  }
  throw new Fault(`The data folder ${folder} is being opened by another process at this moment; try again.`);
}

function holderOf(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, "utf8").trim());
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}
