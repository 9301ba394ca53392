import assert from "node:assert/strict";
import fc from "fast-check";
import { nativeDigest } from "../../runtime/node.ts";
import { test } from "../../tests/support/test.ts";
import { recordId } from "./record_id.ts";

test("record id: names have the ids that Python's uuid.uuid5 gives them in our namespace", () => {
  const known: [string, string][] = [
    ["", "<urn:uuid:694d758d-c73d-5361-a2ae-58a1c94a693c>"],
    ["lease/1/x/0/response", "<urn:uuid:49db2d86-5f61-5bc4-8e09-b775eb7d98ff>"],
    ["warcinfo/warc/\u00e9.warc.gz", "<urn:uuid:b8ca0ab2-f693-5092-b309-be653bc3d6b0>"],
  ];
  for (const [name, id] of known) assert.equal(recordId(name, nativeDigest), id);
});

test("record id: every name has one of version 5, different names different ones", () => {
  fc.assert(fc.property(fc.uniqueArray(fc.string(), { maxLength: 20 }), (names) => {
    const ids = names.map((name) => recordId(name, nativeDigest));
    for (const id of ids) {
      assert.match(id, /^<urn:uuid:[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}>$/);
    }
    assert.equal(new Set(ids).size, ids.length);
  }));
});
