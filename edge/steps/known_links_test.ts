import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { KnownLinks, type LinkHash } from "./known_links.ts";

const found = (changes: { crawl_id?: string; scope_version?: number; depth?: number; now?: number } = {}) => {
  const { crawl_id = "c", scope_version = 1, depth = 3, now = 5_000_000 } = changes;
  return { crawl: { crawl_id, scope_version }, depth, now };
};

test("known links: known for a minute, in the same crawl and scope, at no smaller depth", () => {
  const known = new KnownLinks();
  const link: LinkHash = [0xdeadbeef, 0x12345678];
  assert.equal(known.test(found())(...link), false);
  known.add(found(), [link]);
  assert.equal(known.test(found())(...link), true);
  assert.equal(known.test(found({ depth: 4 }))(...link), true);
  assert.equal(known.test(found({ depth: 2 }))(...link), false, "a smaller depth has to be reported");
  assert.equal(known.test(found({ now: 5_059_000 }))(...link), true);
  assert.equal(known.test(found({ now: 5_061_000 }))(...link), false, "forgotten, so that a refused link comes again");
  assert.equal(known.test(found({ crawl_id: "d" }))(...link), false);
  assert.equal(known.test(found({ scope_version: 2 }))(...link), false);
  assert.equal(known.test(found())(link[0], link[1] + 1), false);
  assert.equal(known.test(found())(link[0] + 1, link[1]), false);
});

test("known links: nothing is known that wasn't added, whatever shares its slot", () => {
  const known = new KnownLinks();
  const links = Array.from(
    { length: 600_000 },
    (_, i): LinkHash => [Math.imul(i, 0x85ebca6b) >>> 0, Math.imul(i, 0xc2b2ae35) >>> 0],
  );
  known.add(found(), links.slice(0, 300_000));
  const isKnown = known.test(found());
  assert.equal(links.slice(300_000).filter(([low, high]) => isKnown(low, high)).length, 0);
  assert.ok(links.slice(0, 300_000).filter(([low, high]) => isKnown(low, high)).length > 100_000);
});

test("known links: depths beyond the table's are always reported", () => {
  const known = new KnownLinks();
  known.add(found({ depth: 5000 }), [[1, 2]]);
  assert.equal(known.test(found({ depth: 5000 }))(1, 2), false);
});
