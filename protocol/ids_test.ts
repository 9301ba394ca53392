import assert from "node:assert/strict";
import { test } from "../tests/support/test.ts";
import { fingerprintFromHex, fingerprintToHex, hostOfHref, originOf } from "./ids.ts";

test("origins keep scheme and port apart", () => {
  const table = [
    ["https://a.example/x?y", "https://a.example"],
    ["http://a.example:8081/", "http://a.example:8081"],
    ["http://[::1]:80/", "http://[::1]:80"],
    ["http://a.example?x=/", "http://a.example"],
    ["http://a.example", "http://a.example"],
  ];
  for (const [href, origin] of table) assert.equal(originOf(href!), origin);
});

test("the host of an href is told without a URL parser", () => {
  const table = [
    ["https://a.example/x:1?y:2", "a.example"],
    ["http://a.example.:8081/", "a.example"],
    ["http://[::1]:80/", "[::1]"],
    ["http://[::1]/", "[::1]"],
    ["http://xn--a?x", "xn--a"],
  ];
  for (const [href, host] of table) assert.equal(hostOfHref(href!), host);
});

test("fingerprints are spelt with 16 lower-case hex digits, and nothing else is one", () => {
  for (const value of [0n, 1n, 0xfedcba9876543210n, (1n << 64n) - 1n]) {
    assert.equal(fingerprintToHex(value).length, 16);
    assert.equal(fingerprintFromHex(fingerprintToHex(value)), value);
  }
  for (const text of ["", "1", "FEDCBA9876543210", "0x00000000000000", "00000000000000000"]) {
    assert.equal(fingerprintFromHex(text), undefined, text);
  }
});
