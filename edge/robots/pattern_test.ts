import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "../../tests/support/test.ts";
import { canonicalPath, canonicalPattern } from "./encoding.ts";
import { findIn } from "./find.ts";
import { patternMatches } from "./pattern.ts";

/** The same question as a regular expression: quadratic or worse, but plain. */
function byRegExp(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith("$");
  const parts = (anchored ? pattern.slice(0, -1) : pattern).split("*");
  const source = parts.map((part) => part.replace(/[^a-z]/g, "\\$&")).join("[^]*");
  return new RegExp(`^${source}${anchored ? "$" : ""}`).test(path);
}

test("robots pattern: the same answer as a regular expression", () => {
  const letters = (...units: string[]) =>
    fc.array(fc.constantFrom(...units), { maxLength: 10 }).map((list) => list.join(""));
  fc.assert(
    fc.property(letters("a", "b", "*"), fc.boolean(), letters("a", "b"), (pattern, anchored, path) => {
      const whole = anchored ? `${pattern}$` : pattern;
      assert.equal(patternMatches(whole, path), byRegExp(whole, path), `${whole} on ${path}`);
    }),
    { numRuns: 3000 },
  );
});

test("robots find: the same answer as indexOf, also where the linear search takes over", () => {
  const ab = (maxLength: number) => fc.array(fc.constantFrom("a", "b"), { maxLength }).map((list) => list.join(""));
  fc.assert(fc.property(ab(60), ab(6), fc.nat(5), fc.nat(30), (haystack, unit, repeats, from) => {
    const needle = unit.repeat(repeats);
    if (from > haystack.length) return;
    assert.equal(findIn(haystack, needle, from), haystack.indexOf(needle, from));
    const middle = haystack.slice(from, from + 25);
    assert.equal(findIn(haystack, middle, 0), haystack.indexOf(middle));
  }));
});

test("robots encoding: idempotent, ASCII, and the same for all spellings of one path", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    const path = canonicalPath(text);
    assert.match(path, /^[\x21-\x7e]*$/);
    assert.equal(canonicalPath(path), path);
    const pattern = canonicalPattern(text);
    assert.equal(canonicalPattern(pattern), pattern);
    assert.equal(canonicalPath(encodeURI(text)), canonicalPath(text.replaceAll("%", "%25")));
  }));
});
