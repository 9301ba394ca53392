import assert from "node:assert/strict";
import { nativeDigest } from "../../runtime/node.ts";
import { test } from "../../tests/support/test.ts";
import { authenticate, parseTokens } from "./tokens.ts";

const ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

test("tokens are read from a setting, in every form", () => {
  const tokens = parseTokens(`operator:abc, edge:tokyo-1:abc\nreader:sha256=${ABC}`, nativeDigest);
  assert.deepEqual(tokens, [
    { id: "env-1", role: "operator", name: "", sha256: ABC },
    { id: "env-2", role: "edge", name: "tokyo-1", sha256: ABC },
    { id: "env-3", role: "reader", name: "", sha256: ABC },
  ]);
  assert.deepEqual(parseTokens("  ", nativeDigest), []);
});

test("a malformed token is refused without repeating it", () => {
  for (
    const entry of [
      "hunter2",
      "root:hunter2",
      "edge:a b:hunter2",
      "edge:a/b:hunter2",
      "edge:",
      "edge:x:y:hunter2",
      "edge:sha256=hunter2!",
    ]
  ) {
    assert.throws(() => parseTokens(`operator:ok,${entry}`, nativeDigest), (error: Error) => {
      return /^(Token 2 of|Token 3 of)/.test(error.message) && !error.message.includes("hunter2");
    }, entry);
  }
});

test("a caller is who its token says, and nobody else", () => {
  const tokens = parseTokens("operator:alpha,edge:tokyo:beta", nativeDigest);
  const who = (header?: string) => authenticate(header, tokens, nativeDigest);
  assert.deepEqual(who("Bearer alpha"), { id: "env-1", role: "operator", name: "" });
  assert.deepEqual(who("bearer   beta"), { id: "env-2", role: "edge", name: "tokyo" });
  for (
    const header of [
      undefined,
      "",
      "Bearer",
      "Bearer ",
      "Bearer alph",
      "Bearer alphaa",
      "Basic alpha",
      "alpha",
      "Bearer alpha beta",
    ]
  ) {
    assert.equal(who(header), undefined, String(header));
  }
});

test("the digest of a token is no token", () => {
  const tokens = parseTokens(`operator:sha256=${ABC}`, nativeDigest);
  assert.equal(authenticate(`Bearer ${ABC}`, tokens, nativeDigest), undefined);
  assert.equal(authenticate(`Bearer sha256=${ABC}`, tokens, nativeDigest), undefined);
  assert.deepEqual(authenticate("Bearer abc", tokens, nativeDigest), { id: "env-1", role: "operator", name: "" });
});
