import assert from "node:assert/strict";
import { nativeDigest } from "../../runtime/node.ts";
import { test } from "../../tests/support/test.ts";
import { hmacSha256 } from "./outbox_seal.ts";

test("the seal is HMAC-SHA-256 (RFC 4231, cases 1 and 2, keys padded with zeros)", () => {
  assert.equal(
    hmacSha256(nativeDigest, "0b".repeat(20), "Hi There"),
    "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
  );
  assert.equal(
    hmacSha256(nativeDigest, "4a656665", "what do ya want for nothing?"),
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  );
});
