/**
 * Every edge case of the shared list is a test that bears its number in its name, or is named here with the reason why not.
 * `OUTRIDER_TEST_TABLE=1` prints which test stands for which number.
 */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { test } from "../support/test.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const LIST = fileURLToPath(new URL("../../../shared/edge-cases.md", import.meta.url));
const FOLDERS = ["cli", "coordinator", "core-wasm", "edge", "protocol", "runtime", "tests"];

/** Numbers without a test of that name, and what stands for them. */
const UNNAMED: Readonly<Record<string, string>> = {
  E43: "there is no lease without a key: every lease goes through the one grant (coordinator/frontier/leases/grant.ts)",
  E44: "a node that doesn't own a slot answers 421 with the map; the tests of several coordinators show it",
  E55: "settled URLs never leave the seen-set, whatever their end; the simulator checks it at each commit",
  E88: "the archive's memory is watched by the soak, not by a test of the suite",
  E105: "each crawl has a seen-set of its own: seen/seen_set_test.ts",
  E106: "heads are bounded: docs/OPERATING.md has the figure for a million queued URLs",
};

/** Lines of tests that bear a number, by number: names of tests, and of cases in tables. */
function namedTests(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const folder of FOLDERS) {
    for (const path of readdirSync(`${ROOT}${folder}`, { recursive: true }) as string[]) {
      if (!/_(?:test|suite|cases)\.ts$/.test(path) || path.endsWith("edge_cases_test.ts") && folder === "tests") {
        continue;
      }
      const source = readFileSync(`${ROOT}${folder}/${path}`, "utf8");
      for (const line of source.split("\n").filter((one) => !/^\s*(?:\*|\/)/.test(one))) {
        for (const [number] of line.matchAll(/\bE\d{2,3}\b/g)) {
          found.set(number, [...found.get(number) ?? [], `${folder}/${path}: ${line.trim()}`]);
        }
      }
    }
  }
  return found;
}

test("edge cases: every number of the shared list is the name of a test, or says what stands for it", () => {
  const numbers = [...readFileSync(LIST, "utf8").matchAll(/^- (E\d+)/gm)].map(([, number]) => number!);
  assert.ok(numbers.length > 70);
  const named = namedTests();
  const missing = numbers.filter((number) => !named.has(number) && UNNAMED[number] === undefined);
  if (process.env.OUTRIDER_TEST_TABLE === "1") {
    for (const number of numbers) {
      process.stdout.write(`${number}\t${named.get(number)?.join("; ") ?? `(${UNNAMED[number] ?? "missing"})`}\n`);
    }
  }
  assert.deepEqual(missing, []);
}, existsSync(LIST) ? {} : { skip: "the list ../shared/edge-cases.md isn't there" });
