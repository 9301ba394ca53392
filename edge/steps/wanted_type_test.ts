import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { unwantedType } from "./wanted_type.ts";

function verdict(wanted: string[], type: string | undefined, status = 200): string | undefined {
  return unwantedType(wanted)!({ status, headers: type === undefined ? [] : [["content-TYPE", type]] });
}

test("wanted types: by type, by a type's whole family, in any case", () => {
  const wanted = ["text/html", "image/*"];
  for (const type of ["text/html", "Text/HTML; charset=utf-8", "image/png", "IMAGE/svg+xml"]) {
    assert.equal(verdict(wanted, type), undefined, type);
  }
  for (const type of ["application/pdf", "text/plain", "text/htmlx", "imagex/png", "video/mp4;a=b"]) {
    assert.match(verdict(wanted, type)!, /^content type: .* isn't wanted$/, type);
  }
});

test("wanted types: nothing declared, nonsense, and answers that are no pages pass", () => {
  for (const type of [undefined, "", "html", "text/ html"]) assert.equal(verdict(["text/html"], type), undefined);
  for (const status of [301, 404, 503]) assert.equal(verdict(["text/html"], "application/pdf", status), undefined);
  assert.equal(unwantedType(undefined), undefined);
  assert.equal(unwantedType([]), undefined);
});
