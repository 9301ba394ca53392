/**
 * One process per data folder, or several coordinators of one cluster, told to the user as a Fault. The lock itself is
 * coordinator/store/data_lock.ts; the frontier's owner term is the fence behind it.
 * Invariant: who has the folder alone holds `lock` and has seen that no shared lock is held; who shares it took its own
 * lock while it held `lock`. So of two that want different things one is refused.
 */

import { readdirSync, rmSync } from "node:fs";
import process from "node:process";
import { type DataLock, lockDataFolder } from "../coordinator/store/data_lock.ts";
import { dataPaths } from "./data_folder.ts";
import { Fault } from "./fault.ts";

const SHARED = /^lock-shared-[0-9]+-[0-9a-z]+$/;

/** Takes the lock; resolves to what gives it back. Rejects with a Fault when a living process is in the way. */
export async function lockFolder(folder: string, { isShared = false } = {}): Promise<() => Promise<void>> {
  const { lock: path } = dataPaths(folder);
  const holder = `process ${process.pid}`;
  try {
    const lock = await untilFree(() => lockDataFolder(path, holder), isShared);
    if (isShared) return await share(lock, { path, holder });
    try {
      await refuseShared(folder);
    } catch (error) {
      await lock.release();
      throw error;
    }
    return () => lock.release();
  } catch (error) {
    throw new Fault((error as Error).message);
  }
}

/** Whoever shares the folder holds `lock` for a moment only: two of them may meet there. */
async function untilFree(take: () => Promise<DataLock>, isShared: boolean): Promise<DataLock> {
  for (let left = isShared ? 20 : 0;; left--) {
    try {
      return await take();
    } catch (error) {
      if (left <= 0) throw error;
      await new Promise((resolve) => void setTimeout(resolve, 50));
    }
  }
}

async function share(lock: DataLock, { path, holder }: { readonly path: string; readonly holder: string }) {
  const own = `${path}-shared-${process.pid}-${Date.now().toString(36)}`;
  const shared = await lockDataFolder(own, holder).finally(() => lock.release());
  return async () => {
    await shared.release();
    rmSync(own, { force: true });
  };
}

/** Files of processes that died are removed. */
async function refuseShared(folder: string): Promise<void> {
  for (const name of readdirSync(folder).filter((name) => SHARED.test(name))) {
    const lock = await lockDataFolder(`${folder}/${name}`, "a look");
    await lock.release();
    rmSync(`${folder}/${name}`, { force: true });
  }
}
