/** `outrider warc`: wires the actions of warc_run.ts to files and standard output. */

import process from "node:process";
import type { Command } from "commander";
import { loadCore } from "../core-wasm/mod.ts";
import { systemFiles } from "../runtime/files.ts";
import { nativeGunzip } from "../runtime/gunzip.ts";
import { nativeDigest } from "../runtime/node.ts";
import { warcFiles } from "./warc_files.ts";
import { READER_GONE, writeOutput } from "./output.ts";
import { runWarc, WARC_USAGE } from "./warc_run.ts";

export function registerWarc(program: Command): void {
  program.command("warc")
    .description("look into WARC files: check, ls, cat, index; pack them as WACZ")
    .argument("<action>", "check | ls | cat | index | pack")
    .argument("[args...]", "files; for cat: one file, an offset, --payload")
    .allowUnknownOption()
    .addHelpText("after", `\n${WARC_USAGE}`)
    .action(async (action: string, args: string[]) => {
      process.exitCode = await runWarc([action, ...args], {
        files: warcFiles,
        gunzip: nativeGunzip,
        digest: nativeDigest,
        core: loadCore,
        pack: async (job, core) => {
          // Only now: the other actions start without it.
          const { packWacz } = await import("./wacz_pack.ts");
          return await packWacz(job, { files: systemFiles, gunzip: nativeGunzip, core });
        },
        now: () => new Date(),
        write: writeOut,
        note: (line) => void process.stderr.write(`${line}\n`),
      });
    });
}

/** Goes on no further when the reader has gone. */
async function writeOut(bytes: Uint8Array): Promise<void> {
  if (!await writeOutput(bytes)) process.exit(READER_GONE);
}
