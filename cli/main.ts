/**
 * `outrider <command>`: the one entry, for Deno and Bun. Wrong use and mendable faults end with a sentence on stderr
 * and a non-zero exit code; a stack is shown for bugs only.
 */

import process from "node:process";
import { Command, CommanderError, Help, type Option } from "commander";
import { CoreBuildError } from "../core-wasm/load.ts";
import { registerBench } from "./bench_command.ts";
import { registerCoordinator } from "./coordinator_command.ts";
import { registerCrawl } from "./crawl_command.ts";
import { registerEdge } from "./edge_command.ts";
import { Fault, USAGE } from "./fault.ts";
import { registerInspection } from "./inspect_commands.ts";
import { troubleCode } from "../runtime/file_errors.ts";
import { flushOutput, guardOutput } from "./output.ts";
import { registerToken } from "./token_command.ts";
import { VERSION } from "./version.ts";
import { registerWarc } from "./warc_command.ts";

function build(): Command {
  const program = new Command("outrider")
    .description(
      "A polite, durable web crawler: one process on a laptop, or a coordinator and edge nodes in many regions.",
    )
    .version(VERSION)
    .showHelpAfterError("(--help shows what is wanted)")
    .configureHelp({ optionDescription })
    .exitOverride();
  for (
    const register of [
      registerCrawl,
      registerCoordinator,
      registerEdge,
      registerToken,
      registerBench,
      registerInspection,
      registerWarc,
    ]
  ) register(program);
  for (const command of program.commands) command.exitOverride().showHelpAfterError("(--help shows what is wanted)");
  return program;
}

/** A repeatable flag that is none by default says so by saying nothing. */
function optionDescription(option: Option): string {
  const isNone = Array.isArray(option.defaultValue) && option.defaultValue.length === 0;
  return isNone ? option.description : new Help().optionDescription(option);
}

async function main(): Promise<void> {
  try {
    await build().parseAsync(process.argv);
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : USAGE;
    else if (error instanceof Fault) {
      process.stderr.write(`outrider: ${error.message}\n`);
      process.exitCode = error.exitCode;
    } else if (error instanceof CoreBuildError || troubleCode(error) !== undefined) {
      process.stderr.write(`outrider: ${(error as Error).message}\n`);
      process.exitCode = 1;
    } else {
      process.stderr.write(`outrider: this is a bug: ${(error as Error).stack ?? String(error)}\n`);
      process.exitCode = 70;
    }
  }
}

guardOutput();
await main();
if (!await flushOutput()) process.exitCode ||= 1;
// What was written to a pipe is flushed before the process ends; an idle socket or timer must not keep it alive.
process.stdout.write("", () => process.stderr.write("", () => process.exit(process.exitCode ?? 0)));
