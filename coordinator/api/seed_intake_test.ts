import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { urlProblem } from "./seed_intake.ts";

test("seeds: a host that the core takes is taken, also where the runtime's parser refuses it", () => {
  for (const url of ["http://xn--a/", "https://XN--A.test:81/?q", "http://a.test/xn--"]) {
    assert.equal(urlProblem(url), undefined, url);
  }
  for (const url of ["xn--a", "http://xn--a:99999/", "http://", "http://a b/"]) {
    assert.match(urlProblem(url)!, /is no absolute URL/, url);
  }
  assert.match(urlProblem("ftp://xn--a/")!, /scheme .* isn't crawled/);
});
