import assert from "node:assert/strict";
import { test } from "../../../tests/support/test.ts";
import { encodeQuery, nameFault, type Question, readReply } from "./dns_message.ts";

const QUESTION: Question = { id: 0x1234, name: "www.example.com", type: "A" };

/** A reply in bytes, by RFC 1035 4: header, question, CNAME to a compressed name, address, SOA. */
function reply(): Uint8Array {
  const name = [3, 119, 119, 119, 7, 101, 120, 97, 109, 112, 108, 101, 3, 99, 111, 109, 0];
  const header = [0x12, 0x34, 0x81, 0x80, 0, 1, 0, 2, 0, 0, 0, 0];
  const alias = [0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 60, 0, 4, 1, 97, 0xc0, 16];
  const address = [1, 97, 0xc0, 16, 0, 1, 0, 1, 0, 0, 1, 0, 0, 4, 192, 0, 2, 7];
  return Uint8Array.from([...header, ...name, 0, 1, 0, 1, ...alias, ...address]);
}

test("DNS message: a reply is read byte by byte as the RFC has it", () => {
  assert.deepEqual(readReply(reply(), QUESTION), { kind: "addresses", addresses: ["192.0.2.7"], ttlSeconds: 60 });
  const upper = { ...QUESTION, name: "WWW.example.COM" };
  assert.equal(readReply(reply(), upper)?.kind, "addresses", "names have no case");
});

test("DNS message: a record whose length lies, or leads beyond the message, makes it no reply", () => {
  const right = reply();
  /** Of the length in the last record, the A; of the one before, the CNAME. */
  const ofAddress = right.length - 6;
  const ofAlias = 33 + 10;
  assert.deepEqual([right[ofAddress + 1], right[ofAlias + 1]], [4, 4]);
  for (const at of [ofAddress, ofAlias]) {
    for (const length of [0, 3, 5, 255, 0xffff]) {
      const bytes = reply();
      bytes.set([length >> 8, length & 0xff], at);
      assert.equal(readReply(bytes, QUESTION), undefined, `${length} at ${at}`);
    }
  }
  const more = reply();
  more[7] = 3;
  assert.equal(readReply(more, QUESTION), undefined, "a record that isn't there");
});

test("DNS message: what answers another question, or none, is no reply", () => {
  assert.equal(readReply(reply(), { ...QUESTION, id: 1 }), undefined);
  assert.equal(readReply(reply(), { ...QUESTION, type: "AAAA" }), undefined);
  assert.equal(readReply(reply(), { ...QUESTION, name: "example.com" }), undefined);
  assert.equal(readReply(encodeQuery(QUESTION, true), QUESTION), undefined, "a query isn't one");
  for (const length of [0, 1, 11]) assert.equal(readReply(reply().subarray(0, length), QUESTION), undefined);
});

test("DNS message: a cut reply that says so is asked for again, one that doesn't is nonsense", () => {
  const cut = reply().slice(0, 50);
  assert.equal(readReply(cut, QUESTION), undefined);
  cut[2]! |= 0x02;
  assert.deepEqual(readReply(cut, QUESTION), { kind: "truncated" });
});

test("DNS message: 50,000 mutated replies are values, in linear time", () => {
  let state = 20_261_130;
  const below = (limit: number) => (state = (state * 48271) % 0x7fffffff) % limit;
  const kinds = new Map<string, number>();
  const from = performance.now();
  for (let i = 0; i < 50_000; i++) {
    const bytes = reply();
    for (let edits = below(4); edits >= 0; edits--) {
      bytes[12 + below(bytes.length - 12)] = [0xc0, 0, 12, 255, 63, below(256)][below(6)]!;
      if (below(8) === 0) bytes[2 + below(10)] = below(256);
    }
    const found = readReply(below(4) === 0 ? bytes.subarray(0, below(bytes.length)) : bytes, QUESTION);
    kinds.set(found?.kind ?? "none", (kinds.get(found?.kind ?? "none") ?? 0) + 1);
    if (found?.kind === "addresses") assert.ok(found.addresses.every((one) => /^[\d.]+$/.test(one)));
  }
  assert.ok(["addresses", "nodata", "none"].every((kind) => kinds.get(kind)! > 100), JSON.stringify([...kinds]));
  assert.ok(performance.now() - from < 30_000);
  // Every label points at the one before it: as long a chain of pointers as a message holds.
  const chain = Uint8Array.from([
    ...reply().subarray(0, 33),
    ...Array.from({ length: 30_000 }, (_, i) => [0xc0, i & 0xff]).flat(),
  ]);
  chain[7] = 255;
  assert.equal(readReply(chain, QUESTION), undefined);
});

test("DNS message: names that no server is asked for", () => {
  for (const name of ["a", "a.b", "_dmarc.example.com", "a".repeat(63), `${"a.".repeat(126)}a`]) {
    assert.equal(nameFault(name), undefined, name);
  }
  for (const name of ["", ".", "a..b", ".a", "a".repeat(64), `${"a.".repeat(127)}a`, "é.example", "a b", "a\0b"]) {
    assert.notEqual(nameFault(name), undefined, name);
  }
});
