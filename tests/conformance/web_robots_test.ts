/**
 * The edge's reading of robots.txt against the synthetic web's hand-written verdicts, for every page of a web.
 */

import assert from "node:assert/strict";
import { createWorld, FINISHING, webConfig } from "../../bench/web/mod.ts";
import { robotsKinds, SHARED_RULES } from "../../bench/web/robots.ts";
import { pagesOf } from "../../bench/web/site.ts";
import { pagePath } from "../../bench/web/world.ts";
import { decide, parseRobots } from "../../edge/robots/mod.ts";
import { test } from "../support/test.ts";

const config = webConfig({ hosts: 1, pages: 600, features: FINISHING, port: 8080 });
const world = createWorld(config);
const paths = [
  ...Array.from({ length: pagesOf(config, 0) }, (_, local) => pagePath(world, 0, local)),
  "/",
  "/private/",
  "/private/r7",
  "/private/open/",
  "/private/open/p1.html",
  "/privat/x.html",
  "/a/private/x.html",
];

for (const kind of robotsKinds(config)) {
  const answer = kind.answer(0);
  const body = answer.redirectTo === "/shared/robots.txt" ? SHARED_RULES : answer.body;
  if (kind.open || (answer.status !== 200 && answer.redirectTo === undefined)) continue;
  test(`robots.txt of kind ${kind.name} is read as the synthetic web means it`, () => {
    const rules = parseRobots(body, "outrider");
    for (const path of paths) {
      const { allowed } = decide(rules, world.origin(0) + path);
      assert.equal(allowed, kind.allows(path), `${path}: the edge says ${allowed}`);
    }
    assert.ok(kind.allows("/") !== kind.allows("/private/r7") || ["soft_404", "empty", "deny_all"].includes(kind.name));
  });
}
