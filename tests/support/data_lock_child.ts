/** A process that takes a data folder's lock, says so, and keeps it until it is killed. */

import { writeSync } from "node:fs";
import { argv } from "node:process";
import { lockDataFolder } from "../../coordinator/store/data_lock.ts";
import { systemClock } from "../../runtime/node.ts";

await lockDataFolder(argv[2]!);
writeSync(1, "held\n");
await systemClock.sleep(600_000);
