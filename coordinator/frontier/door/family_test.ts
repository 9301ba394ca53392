import assert from "node:assert/strict";
import { test } from "../../../tests/support/test.ts";
import { familyOf } from "./family.ts";

const at = (path: string) => familyOf(`https://a.example${path}`);

test("dates are recognised in paths and queries; what can be no date is none", () => {
  const table: [string, string | undefined, number][] = [
    ["/calendar/2024/5", "months", 2024],
    ["/calendar/2024/05/", "months", 2024],
    ["/calendar/12024/5", "months", 12024],
    ["/2024/05/17/", "days", 2024],
    ["/events/2024-05-17", "days", 2024],
    ["/events/2024-05", "months", 2024],
    ["/log.2024_05_17.html", "days", 2024],
    ["/day/20240517", "days", 2024],
    ["/cal?date=2024-05-17", "days", 2024],
    ["/cal?year=2024&month=5", "months", 2024],
    ["/cal?y=2024&m=5&d=17", "days", 2024],
    ["/calendar/2024/13", undefined, 0],
    ["/calendar/2024/5/32", undefined, 0],
    ["/calendar/2024/0", undefined, 0],
    ["/item/12345", undefined, 0],
    ["/plain/page.html", undefined, 0],
    ["/", undefined, 0],
    ["", undefined, 0],
    ["/day/20241399", undefined, 0],
    ["/phone/+49-89-1234567", undefined, 0],
    ["/shop?sid=17", "values", 0],
    ["/s/0123456789abcdef0123/home", "values", 0],
    ["/s/deadbeefdeadbeefdead/home", undefined, 0],
    ["/a/123e4567-e89b-12d3-a456-426614174000", "values", 0],
  ];
  for (const [path, kind, year] of table) {
    const found = at(path);
    assert.deepEqual([found?.kind, found?.year ?? 0], [kind, year], path);
  }
});

test("one family differs in its date or values only", () => {
  const same: [string, string][] = [
    ["/calendar/2024/5", "/calendar/1999/12"],
    ["/events/2024-05-17?view=week", "/events/2031-1-2?view=list"],
    ["/cal?date=2024-05-17&x=1", "/cal?date=2024-05-18&x=2"],
    ["/cal?year=2024&month=5", "/cal?year=2030&month=12"],
    ["/shop?sid=a&page=1", "/shop?sid=b&page=2"],
    ["/s/0123456789abcdef0123/home", "/s/fedcba98765432100000/home"],
  ];
  for (const [a, b] of same) assert.equal(at(a)?.shape, at(b)?.shape, `${a} ${b}`);
  const other: [string, string][] = [
    ["/calendar/2024/5", "/calendar/2024/5/6"],
    ["/2024/05/17/a-story", "/2024/05/17/another-story"],
    ["/2024/05/17/12345.html", "/2024/05/18/12346.html"],
    ["/shop?sid=a", "/cart?sid=a"],
    ["/shop?sid=a", "/shop?page=a"],
    ["/cal?date=2024-05-17", "/cal?from=2024-05-17"],
  ];
  for (const [a, b] of other) assert.notEqual(at(a)?.shape, at(b)?.shape, `${a} ${b}`);
});

test("linear time: a long URL of digits and dashes is read in one go", () => {
  for (const part of ["1-", "0123456789abcde-", "2024-05-", "/2024/5", "?y=2024&", "a".repeat(16), "f0-"]) {
    const href = `https://a.example/${part.repeat(2048 / part.length)}`;
    for (let i = 0; i < 200; i++) familyOf(href);
  }
});
