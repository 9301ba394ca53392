/**
 * Whether a data folder can be opened by one process alone.
 * Invariant: reads only; a folder without a control database is left as it is.
 */

import type { ControlStore } from "../coordinator/ports.ts";
import type { ClusterStore } from "../coordinator/owner_ports.ts";
import { systemFiles } from "../runtime/files.ts";
import { dataPaths } from "./data_folder.ts";

/**
 * Coordinators that share a folder may have added shards and handed slots over: who opens it alone shares the slots out
 * evenly, and would look for them where they aren't.
 */
export async function checkEvenSlots(folder: string, control: ControlStore & ClusterStore): Promise<void> {
  if (await systemFiles.size(dataPaths(folder).control) === undefined) return;
  await control.open();
  const { slotMap, moves } = await control.directory.read();
  if (slotMap.version <= 1 && moves.length === 0) return;
  throw new Error(
    `Opening ${folder} alone failed: its slots were shared out anew among ${slotMap.shards} shards; wanted is ` +
      `"outrider coordinator --cluster", which knows where they are.`,
  );
}
