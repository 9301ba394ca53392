/**
 * `deno task tidy`: holds the house against tools/tidy/table.ts and prints one sentence per broken rule.
 * Exits with 1 when there is any.
 */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { check } from "./tidy/check.ts";

function projectFiles(): string[] {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.ts"], {
    encoding: "utf8",
  });
  return [...new Set(listed.split("\0").filter((path) => path !== ""))];
}

function sourcesOf(paths: readonly string[]): Map<string, string> {
  const sources = new Map<string, string>();
  for (const path of paths) {
    try {
      sources.set(path, readFileSync(path, "utf8"));
    } catch (error) {
      if ((error as { code?: string }).code !== "ENOENT") throw error;
    }
  }
  return sources;
}

const problems = check(sourcesOf(projectFiles()));
for (const problem of problems) console.error(problem);
console.error(problems.length === 0 ? "tidy: nothing to say" : `tidy: ${problems.length} broken rules`);
process.exit(problems.length === 0 ? 0 : 1);
