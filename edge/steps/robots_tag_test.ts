import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { robotsTag } from "./robots_tag.ts";

function said(...values: string[]): string {
  const tag = robotsTag(values.map((value) => ["X-Robots-Tag", value] as const), "Outrider");
  return Object.entries(tag).flatMap(([rule, isSaid]) => isSaid ? [rule] : []).join(" ");
}

test("X-Robots-Tag: rules for everybody and for us, in any case and order", () => {
  const table: [string[], string][] = [
    [["noindex"], "noindex"],
    [["NoFollow , noarchive"], "nofollow noarchive"],
    [["nosnippet"], "nosnippet"],
    [["max-snippet: 0, noarchive", "noindex"], "noindex noarchive nosnippet"],
    [["outrider: noarchive, otherbot: nosnippet"], "noarchive"],
    [["none"], "noindex nofollow"],
    [["noindex", "nofollow"], "noindex nofollow"],
    [["outrider: nofollow"], "nofollow"],
    [["otherbot: noindex, nofollow"], ""],
    [["otherbot: noindex, outrider: nofollow"], "nofollow"],
    [["nofollow, otherbot: noindex"], "nofollow"],
    [["*: noindex"], "noindex"],
    [["unavailable_after: 25 Jun 2030 15:00:00 PST, nofollow"], "nofollow"],
    [["unavailable_after: Friday, 25-Jun-27 15:00:00 GMT, noindex"], "noindex"],
    [["max-snippet: 20, noindex"], "noindex"],
    [["all", "index, follow", "", ",,:,"], ""],
    [["nofollowing", "xnoindex"], ""],
  ];
  for (const [values, wanted] of table) assert.equal(said(...values), wanted, values.join(" | "));
});
