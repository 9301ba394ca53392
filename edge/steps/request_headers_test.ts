import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "../../tests/support/test.ts";
import { type Asker, RequestHeaders } from "./request_headers.ts";

type Target = Parameters<RequestHeaders["of"]>[0];
const requestHeaders = ({ target, ...asker }: Asker & { target: Target }) => new RequestHeaders(asker).of(target);

const agent = "Outrider/0.1 (+https://crawler.example/)";
const of = (target: { etag?: string; last_modified?: string }) =>
  new Map(requestHeaders({ userAgent: agent, target: { kind: "page", ...target } }));

test("a first fetch is unconditional and names its agent first", () => {
  const headers = requestHeaders({ userAgent: agent, target: { kind: "page" } });
  assert.deepEqual(headers.map(([name]) => name), ["User-Agent", "Accept", "Accept-Encoding"]);
  assert.deepEqual(headers[0], ["User-Agent", agent]);
  assert.deepEqual(headers[2], ["Accept-Encoding", "gzip, deflate, br, zstd"]);
});

test("the contact is added once", () => {
  const target = { kind: "robots" } as const;
  const added = requestHeaders({ userAgent: "Outrider/0.1", contact: "ops@crawler.example", target });
  assert.equal(added[0]![1], "Outrider/0.1 (+ops@crawler.example)");
  const there = requestHeaders({ userAgent: agent, contact: "https://crawler.example/", target });
  assert.equal(there[0]![1], agent);
});

test("validators are sent back: entity tags as they are, dates as HTTP dates only", () => {
  const headers = of({ etag: 'W/"a-1"', last_modified: "2024-05-01T10:00:00.5Z" });
  assert.equal(headers.get("If-None-Match"), 'W/"a-1"');
  assert.equal(headers.get("If-Modified-Since"), "Wed, 01 May 2024 10:00:00 GMT");
  assert.equal(
    of({ last_modified: "Sunday, 06-Nov-94 08:49:37 GMT" }).get("If-Modified-Since"),
    "Sun, 06 Nov 1994 08:49:37 GMT",
  );
});

test("validators that aren't any are left out", () => {
  for (const etag of ["abc", "*", '"a", "b"', '"a\r\nX: y"', '"', ""]) assert.equal(of({ etag }).size, 3, etag);
  for (const last_modified of ["120", "-1", "yesterday", ""]) {
    assert.equal(of({ last_modified }).size, 3, last_modified);
  }
});

test("every value can stand in a field, whatever was given", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (text, other) => {
    const target = { kind: "page", etag: text, last_modified: other } as const;
    for (const [, value] of requestHeaders({ userAgent: text, contact: other, target })) {
      assert.match(value, /^[\t\x20-\x7e\x80-\xff]*$/);
    }
  }));
});
