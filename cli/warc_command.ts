/** `outrider warc`: wires the actions of warc_run.ts to files and standard output. */

import process from "node:process";
import type { Command } from "commander";
import { loadCore } from "../core-wasm/mod.ts";
import { systemFiles } from "../runtime/files.ts";
import { nativeGunzip } from "../runtime/gunzip.ts";
import { nativeDigest } from "../runtime/node.ts";
import { runWarc, WARC_USAGE } from "./warc_run.ts";

export function registerWarc(program: Command): void {
  program.command("warc")
    .description("look into WARC files: check, ls, cat, index")
    .argument("<action>", "check | ls | cat | index")
    .argument("[args...]", "files; for cat: one file, an offset, --payload")
    .allowUnknownOption()
    .addHelpText("after", `\n${WARC_USAGE}`)
    .action(async (action: string, args: string[]) => {
      process.stdout.on("error", endQuietly);
      process.exitCode = await runWarc([action, ...args], {
        files: systemFiles,
        gunzip: nativeGunzip,
        digest: nativeDigest,
        core: loadCore,
        write: writeOut,
        note: (line) => void process.stderr.write(`${line}\n`),
      });
    });
}

/** The reader of our output has gone (`| head`): that is no fault. 141 is what a shell shows for SIGPIPE. */
function endQuietly(error: Error & { code?: string }): void {
  if (error.code !== "EPIPE") throw error;
  process.exit(141);
}

function writeOut(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => process.stdout.write(bytes, (error) => error ? reject(error) : resolve()));
}
