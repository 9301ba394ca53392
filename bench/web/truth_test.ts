import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { FINISHING } from "./config.ts";
import { groundTruth, placeOf } from "./truth.ts";

const web = { seed: 5, hosts: 24, pages: 3000, links: 40, port: 8080 };

test("a plain web is reached whole from one home, with or without other seeds", () => {
  const truth = groundTruth(web);
  assert.equal(truth.pages.size, 3000);
  assert.equal(truth.answers.size + truth.disallowed.size, 0);
  assert.deepEqual(groundTruth(web, { seedHosts: [3, 9] }).pages.size, 3000);
});

test("a depth limit keeps what is nearer, and the same at every larger limit", () => {
  const whole = groundTruth({ ...web, features: FINISHING });
  let before = new Set<string>();
  for (let maxDepth = 0; maxDepth <= whole.deepest; maxDepth++) {
    const { pages, deepest } = groundTruth({ ...web, features: FINISHING }, { maxDepth });
    assert.ok(deepest <= maxDepth && pages.size > before.size);
    assert.ok([...before].every((url) => pages.has(url)));
    before = new Set(pages);
  }
  assert.equal(before.size, whole.pages.size);
});

test("the redirect limit decides how much of a long chain is asked for", () => {
  const hops = (redirectHops: number) =>
    [...groundTruth({ ...web, features: ["redirects"] }, { redirectHops }).answers].map((url) => placeOf(url)!.path)
      .filter((path) => path.startsWith("/hop/")).map((path) => Number(path.split("/")[3]));
  assert.equal(Math.max(...hops(5)), 5);
  assert.equal(Math.max(...hops(2)), 2);
  assert.deepEqual(hops(0), []);
});

test("nothing is wanted that robots.txt forbids, nor of a host whose robots.txt never answers", () => {
  const truth = groundTruth({ ...web, features: [...FINISHING, "robots_blocked"] });
  for (const url of [...truth.pages, ...truth.answers]) {
    const { host, path } = placeOf(url)!;
    assert.ok(truth.allows(host, path), url);
    assert.ok(!truth.world.robotsOf(host).blocked, url);
  }
  assert.ok([...truth.disallowed].some((url) => truth.world.robotsOf(placeOf(url)!.host).blocked));
  assert.ok([...truth.disallowed].every((url) => !truth.pages.has(url) && !truth.answers.has(url)));
});
