import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { isCompressible } from "./compressible.ts";

const bytes = (length: number) => new Uint8Array(length);

function compressible(contentType: string | undefined, body = bytes(5000), decoded = body): boolean {
  const headers: [string, string][] = [["Server", "x"]];
  if (contentType !== undefined) headers.push(["content-TYPE", contentType]);
  return isCompressible({ body, decoded, headers });
}

test("compressible: text is, in whatever type, and what names no type", () => {
  const types = [
    "text/html; charset=utf-8",
    "application/json",
    "image/svg+xml",
    "IMAGE/BMP",
    "font/ttf",
    "x",
    "",
    "/",
  ];
  for (const type of [...types, undefined]) assert.ok(compressible(type), type ?? "no type");
});

test("compressible: formats that compress their data aren't", () => {
  const office = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
  const types = ["image/png", "Image/JPEG; q=1", "video/mp4", "audio/mpeg", "font/woff2", "application/pdf", office];
  for (const type of [...types, "application/zip", "application/gzip", "application/epub+zip"]) {
    assert.ok(!compressible(type), type);
  }
});

test("compressible: what was content-coded isn't, short bodies aren't; a coding that is a lie is no coding", () => {
  assert.ok(!compressible("text/html", bytes(5000), bytes(5001)));
  assert.ok(compressible("text/html", bytes(5000), bytes(0)));
  assert.ok(!compressible("text/html", bytes(1023)));
  assert.ok(compressible("text/html", bytes(1024)));
  assert.ok(!compressible("text/html", bytes(0)));
});
