/**
 * Flags for the placement of hosts in regions; docs/OPERATING.md has the rules.
 */

import type { Command } from "commander";
import { FRONTIER_DEFAULTS, type FrontierSettings } from "../coordinator/frontier/settings.ts";
import { number } from "./flags.ts";

export interface RegionFlags {
  readonly affinityPatienceMs: number;
  readonly regionSilentMs: number;
}

const AN_HOUR_MS = 3_600_000;

export function addRegionFlags(command: Command): Command {
  return command
    .option(
      "--affinity-patience-ms <ms>",
      "how long a host that may be leased waits for its region; 0 = any region gets it at once",
      number({ least: 0, most: AN_HOUR_MS }),
      FRONTIER_DEFAULTS.affinityPatienceMs,
    )
    .option(
      "--region-silent-ms <ms>",
      "a region whose edges ask for nothing for so long isn't waited for",
      number({ least: 1_000, most: AN_HOUR_MS }),
      FRONTIER_DEFAULTS.regionSilentMs,
    );
}

export function regionSettings(flags: RegionFlags): Partial<FrontierSettings> {
  const { affinityPatienceMs, regionSilentMs } = flags;
  return { affinityPatienceMs, regionSilentMs };
}
