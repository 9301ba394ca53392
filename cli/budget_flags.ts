/**
 * Flags for what a crawl takes of one host and domain: docs/BUDGETS.md. The commands that own a frontier have them.
 */

import type { Command } from "commander";
import { LIMITS } from "../protocol/mod.ts";
import { number } from "./flags.ts";

export interface BudgetFlags {
  readonly hostBudget: number;
  readonly domainBudget: number;
  readonly budgetDays: number;
  readonly hostQueue: number;
}

const DAY_MS = 86_400_000;
const urls = number({ least: 1, most: Number.MAX_SAFE_INTEGER });

export function addBudgetFlags(command: Command): Command {
  return command
    .option(
      "--host-budget <urls>",
      "URLs of one host that a crawl accepts in a budget cycle",
      urls,
      LIMITS.hostBudgetUrls,
    )
    .option(
      "--domain-budget <urls>",
      "the same of a registered domain, over all its hosts",
      urls,
      LIMITS.domainBudgetUrls,
    )
    .option(
      "--budget-days <days>",
      "length of a budget cycle, counted from when a crawl was created",
      number({ least: 0.01, most: 36_500, whole: false }),
      LIMITS.budgetCycleMs / DAY_MS,
    )
    .option("--host-queue <urls>", "URLs of one host that may be queued at a time", urls, LIMITS.hostQueueUrls);
}

/** Limits as these flags set them. */
export function budgetLimits(flags: BudgetFlags) {
  return {
    hostBudgetUrls: flags.hostBudget,
    domainBudgetUrls: flags.domainBudget,
    budgetCycleMs: Math.round(flags.budgetDays * DAY_MS),
    hostQueueUrls: flags.hostQueue,
  };
}
