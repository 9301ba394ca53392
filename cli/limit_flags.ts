/**
 * Flags for the two limits beside a host's own delay: a registered domain's and an address'; and those of budgets. The
 * commands that own a frontier have them.
 */

import type { Command } from "commander";
import { CDN_RANGES } from "../coordinator/frontier/clocks/cdn_ranges.ts";
import type { FrontierSettings } from "../coordinator/frontier/settings.ts";
import { LIMITS, parseCidr } from "../protocol/mod.ts";
import { addBudgetFlags, type BudgetFlags, budgetLimits } from "./budget_flags.ts";
import { Fault, USAGE } from "./fault.ts";
import { many, number } from "./flags.ts";

export interface LimitFlags extends BudgetFlags {
  readonly domainParallel: number;
  readonly domainDelayMs: number;
  readonly addressParallel: number;
  readonly addressDelayMs: number;
  readonly exemptAddress: readonly string[];
}

const parallel = number({ least: 1, most: LIMITS.hostInFlightMax });
/** A window must be shorter than a lease. */
const delay = number({ least: 0, most: 1_000 });

export function addLimitFlags(command: Command): Command {
  return addBudgetFlags(command)
    .option(
      "--domain-parallel <n>",
      "requests at once, and starts per window, on all hosts of a registered domain",
      parallel,
      LIMITS.domainInFlight,
    )
    .option(
      "--domain-delay-ms <ms>",
      "mean time between two starts on a registered domain; a window is this times --domain-parallel; 0 = off",
      delay,
      LIMITS.domainGapMs,
    )
    .option("--address-parallel <n>", "the same on one IP address (IPv6: /64)", parallel, LIMITS.ipInFlight)
    .option("--address-delay-ms <ms>", "the same on one IP address (IPv6: /64)", delay, LIMITS.ipGapMs)
    .option(
      "--exempt-address <cidr>",
      "a range whose addresses have no limit, beside the known content delivery networks (repeatable)",
      many,
      [],
    );
}

/** Throws a Fault when a range can't be read. */
export function limitSettings(flags: LimitFlags): Pick<FrontierSettings, "limits" | "exemptAddresses"> {
  for (const range of flags.exemptAddress) {
    try {
      parseCidr(range);
    } catch (error) {
      throw new Fault(`--exempt-address: ${(error as Error).message}`, USAGE);
    }
  }
  return {
    limits: {
      ...LIMITS,
      ...budgetLimits(flags),
      domainInFlight: flags.domainParallel,
      domainGapMs: flags.domainDelayMs,
      ipInFlight: flags.addressParallel,
      ipGapMs: flags.addressDelayMs,
    },
    exemptAddresses: [...CDN_RANGES, ...flags.exemptAddress],
  };
}
