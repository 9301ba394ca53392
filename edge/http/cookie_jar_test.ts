import assert from "node:assert/strict";
import { LIMITS } from "../../protocol/mod.ts";
import { test } from "../../tests/support/test.ts";
import { createCookieJar } from "./cookie_jar.ts";

const set = (...values: string[]) => values.map((value) => ["Set-Cookie", value] as const);

test("cookies: a host that the runtime's URL parser refuses has none, and is no fault", () => {
  const jar = createCookieJar();
  assert.equal(jar.take("http://xn--a/", set("a=1")), false);
  assert.equal(jar.of("http://xn--a/"), undefined);
});

test("cookies: sent back to who set them, by path, scheme and domain, and to nobody else (E60)", () => {
  const jar = createCookieJar();
  assert.equal(jar.of("https://www.example.com/"), undefined);
  assert.equal(
    jar.take("https://www.example.com/a/b", set("a=1; Path=/", "b=2; Secure; Path=/", "c=3; Path=/deep")),
    true,
  );
  assert.equal(jar.take("https://www.example.com/a/b", set("a=1; Path=/")), false, "the same again is no change");
  jar.take("https://www.example.com/", set("d=4; Domain=example.com; Path=/"));
  const cases: [string, string | undefined][] = [
    ["https://www.example.com/", "a=1; b=2; d=4"],
    ["http://www.example.com/x", "a=1; d=4"],
    ["https://www.example.com/deep/er", "c=3; a=1; b=2; d=4"],
    ["https://other.example.com/", "d=4"],
    ["https://example.org/", undefined],
    ["https://wwwexample.com/", undefined],
  ];
  for (const [url, wanted] of cases) assert.equal(jar.of(url), wanted, url);
});

test("cookies: no site sets them for another, for a public suffix, or beyond the bounds", () => {
  const jar = createCookieJar();
  const url = "http://a.co.uk/";
  const bad = ["a=1; Domain=co.uk", "b=2; Domain=b.co.uk", "", ";;;", "=", `big=${"x".repeat(LIMITS.cookieChars)}`];
  jar.take(url, set(...bad, "expired=1; Max-Age=0", "old=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT"));
  assert.doesNotMatch(jar.of(url) ?? "", /[ab]=|big|expired|old/);
  const many = createCookieJar();
  many.take(url, set(...Array.from({ length: 500 }, (_, i) => `n${i}=v`)));
  assert.equal(many.of(url)!.split("; ").length, LIMITS.cookiesPerLease);
  const large = createCookieJar();
  large.take(url, set(...Array.from({ length: 4 }, (_, i) => `n${i}=${"x".repeat(4000)}`)));
  assert.equal(large.of(url), undefined, "more than a head should hold isn't sent");
});

test("cookies: addresses and localhost have them too", () => {
  const jar = createCookieJar();
  for (const url of ["http://127.0.0.1:8080/", "http://[::1]/", "http://localhost/"]) {
    jar.take(url, set("a=1"));
    assert.equal(jar.of(url), "a=1", url);
  }
});
