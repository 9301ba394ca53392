import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "../tests/support/test.ts";

/** proc(5), field 19 of a thread's stat. */
const niceOf = (stat: string) => Number(stat.split(") ").at(-1)!.split(" ")[16]);
const ownNice = () => niceOf(readFileSync("/proc/self/stat", "utf8"));

test("a thread gives way alone: the others of its process keep their priority", async () => {
  const before = ownNice();
  const worker = new Worker(new URL("../tests/support/give_way_child.ts", import.meta.url), { type: "module" });
  try {
    const stat = await new Promise<string>((resolve, reject) => {
      worker.addEventListener("message", ({ data }) => resolve(data));
      worker.addEventListener("error", ({ message }) => reject(new Error(message)));
    });
    assert.equal(niceOf(stat), Math.max(15, before));
    assert.equal(ownNice(), before);
  } finally {
    worker.terminate();
  }
}, { skip: existsSync("/proc/thread-self") ? undefined : "there is no /proc/thread-self" });
