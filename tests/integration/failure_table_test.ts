import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { FAILURES } from "../../protocol/mod.ts";
import { test } from "../support/test.ts";

const BACKOFF = { always: "yes", repeated: "from the second in a row", never: "no" };

test("docs/OUTPUT.md says of each failure class what the program does", () => {
  const text = readFileSync(new URL("../../docs/OUTPUT.md", import.meta.url), "utf8");
  const section = text.slice(text.indexOf("\n## Failures"));
  const rows = section.split("\n").filter((line) => line.startsWith("| `")).map((line) =>
    line.split("|").slice(1, -1).map((cell) => cell.trim())
  );
  const said = rows.map(([name, , retry, backoff, endsLease]) => [name, retry, backoff, endsLease]);
  const done = Object.entries(FAILURES).map(([name, { retry, backoff, endsLease }]) => [
    `\`${name}\``,
    retry ? "yes" : "no",
    BACKOFF[backoff],
    endsLease ? "yes" : "no",
  ]);
  assert.deepEqual(said, done);
});
