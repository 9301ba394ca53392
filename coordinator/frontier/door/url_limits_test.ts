import assert from "node:assert/strict";
import { test } from "../../../tests/support/test.ts";
import { LIMITS } from "../../../protocol/mod.ts";
import { shapeReason } from "./url_limits.ts";

const HOST = "https://a.example";

test("the shape of a URL: length, segments, repeats", () => {
  const segments = (count: number) => HOST + Array.from({ length: count }, (_, i) => `/s${i}`).join("");
  const table: [string, string | undefined][] = [
    [`${HOST}/`, undefined],
    [HOST + "/" + "x".repeat(2048 - HOST.length - 1), undefined],
    [HOST + "/" + "x".repeat(2048 - HOST.length), "url_bytes"],
    [segments(20), undefined],
    [segments(21), "path_segments"],
    [`${HOST}/?${"/a".repeat(50)}`, undefined],
    [`${HOST}/?${Array.from({ length: 20 }, (_, i) => `p${i}=`).join("&")}`, undefined],
    [`${HOST}/?${Array.from({ length: 21 }, (_, i) => `p${i}=`).join("&")}`, "query_parameters"],
    [`${HOST}/a/b/a/b/a/b`, undefined],
    [`${HOST}/a/b/a/b/a/b/a`, "repeated_segment"],
    [`${HOST}/www.google.com/www.google.com/www.google.com/www.google.com/x`, "repeated_segment"],
    [`${HOST}/a/a/a/A`, undefined],
    [`${HOST}/a//b//c//d`, undefined],
    [`${HOST}/a/a/a?/a/a`, undefined],
  ];
  for (const [href, reason] of table) assert.equal(shapeReason(href, LIMITS), reason, href.slice(0, 80));
});

test("E17: a relative link that grows the path at every hop ends", () => {
  let href = `${HOST}/`;
  let hops = 0;
  while (shapeReason(href, LIMITS) === undefined && hops < 100) {
    href = new URL("www.google.com/x/", href).href;
    hops++;
  }
  assert.equal(hops, LIMITS.repeatedSegments + 1);
});
