/**
 * One process per data folder, told to the user as a Fault. The lock itself is coordinator/store/data_lock.ts; the
 * frontier's owner term is the fence behind it.
 */

import process from "node:process";
import { lockDataFolder } from "../coordinator/store/data_lock.ts";
import { dataPaths } from "./data_folder.ts";
import { Fault } from "./fault.ts";

/** Takes the lock; resolves to what gives it back. Rejects with a Fault when a living process holds it. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  try {
    const lock = await lockDataFolder(dataPaths(folder).lock, `process ${process.pid}`);
    return () => lock.release();
  } catch (error) {
    throw new Fault((error as Error).message);
  }
}
