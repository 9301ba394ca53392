/**
 * Output that nobody takes: a reader that leaves after the first line, a full disk behind stdout. No stack, and a crawl
 * goes on to its end.
 */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import process from "node:process";
import { checkPages } from "../support/crawl_output.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";
import { outriderArguments } from "../support/outrider_process.ts";
import { spawnWeb } from "../support/web_server.ts";

const FULL = "/dev/full";
const noFull = existsSync(FULL) ? undefined : "there is no /dev/full here";

interface Run {
  readonly args: readonly string[];
  readonly stdin?: string;
  /** "leaves": the reader goes after the first bytes; "gone": there never was one. */
  readonly stdout: "leaves" | "gone" | typeof FULL;
}

async function run({ args, stdin, stdout }: Run): Promise<{ code: number; stderr: string }> {
  const full = stdout === FULL ? openSync(FULL, "w") : undefined;
  const child = spawn(process.execPath, [...outriderArguments(process.execPath), ...args], {
    stdio: ["pipe", full ?? "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1" },
  });
  if (full !== undefined) closeSync(full);
  child.stdin!.on("error", () => {});
  child.stdin!.end(stdin ?? "");
  if (stdout === "leaves") child.stdout!.once("data", () => child.stdout!.destroy());
  else child.stdout?.destroy();
  let stderr = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => stderr += text);
  const [code] = await once(child, "close") as [number];
  return { code, stderr };
}

/** More answers than a pipe holds. */
const QUESTIONS = '{"input":"http://a.example/"}\n'.repeat(20_000);

test("output: a reader that leaves ends an inspection quietly", async () => {
  assert.deepEqual(await run({ args: ["url"], stdin: QUESTIONS, stdout: "leaves" }), { code: 141, stderr: "" });
});

test("output: a full disk behind an inspection is told in a sentence", async () => {
  const { code, stderr } = await run({ args: ["url"], stdin: QUESTIONS, stdout: FULL });
  assert.equal(code, 1);
  assert.match(stderr, /^outrider: Writing to stdout failed: .*; .* is wanted\.\n$/);
}, { skip: noFull });

for (const stdout of ["gone", FULL] as const) {
  test(`output: a crawl goes on to its end when stdout ${stdout === FULL ? "is full" : "has no reader"}`, async () => {
    const web = await spawnWeb({ hosts: 1, pages: 30, features: [] });
    const folder = temporaryFolder();
    try {
      const speed = ["--delay-ms", "0", "--allow-address", "127.0.0.0/8"];
      const args = ["crawl", web.seed, ...speed, "--data", folder.path];
      const { code, stderr } = await run({ args, stdout });
      assert.equal(code, stdout === FULL ? 1 : 0, stderr);
      assert.doesNotMatch(stderr, /\n +at /);
      assert.ok(checkPages(folder.path).length >= 30);
    } finally {
      await folder.remove();
      await web.stop();
    }
  }, { skip: stdout === FULL ? noFull : undefined });
}
