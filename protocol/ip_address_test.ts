import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "../tests/support/test.ts";
import { contains, formatAddress, parseAddress, parseCidr } from "./ip_address.ts";

const shown = (text: string) => {
  const bytes = parseAddress(text);
  return bytes && formatAddress(bytes);
};

test("every spelling of an IPv4 address is the same address", () => {
  const spellings = [
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0X7F.1",
    "0177.0.0.01",
  ];
  for (const text of [...spellings, "017700000001", "0x7f.0x0.0x0.0x1", "127.0x1"]) {
    assert.equal(shown(text), "127.0.0.1", text);
  }
  assert.equal(shown("0"), "0.0.0.0");
  assert.equal(shown("0x"), "0.0.0.0");
  assert.equal(shown("4294967295"), "255.255.255.255");
});

test("every spelling of an IPv6 address is the same address", () => {
  for (const text of ["::1", "[::1]", "0:0:0:0:0:0:0:1", "0000:0000::0001", "::0:1", "::0.0.0.1", "::1%lo"]) {
    assert.equal(shown(text), "0:0:0:0:0:0:0:1", text);
  }
  for (const text of ["::ffff:7f00:1", "::FFFF:127.0.0.1", "0:0:0:0:0:ffff:127.0.0.1", "[::ffff:7f00:0001]"]) {
    assert.equal(shown(text), "0:0:0:0:0:ffff:7f00:1", text);
  }
  assert.equal(shown("2001:DB8::"), "2001:db8:0:0:0:0:0:0");
  assert.equal(shown("::"), "0:0:0:0:0:0:0:0");
});

test("what is no address is undefined", () => {
  const texts = [
    "",
    ".",
    "1..2",
    "256.1.1.1",
    "1.2.3.4.5",
    "1.2.3.256",
    "4294967296",
    "0x100000000",
    "08.1.1.1",
    "a.b",
  ];
  const six = [":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::", "::1.2.3", "::1.2.3.256", "::g"];
  for (const text of [...texts, ...six, "1.2.3.4::", "1:2:3:4:5:6:7::8", "-1", "1.2.3.4 ", "١.1.1.1", "::ffff:127.1"]) {
    assert.equal(shown(text), undefined, text);
  }
});

test("a range contains exactly the addresses that share its prefix, bit by bit", () => {
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
  const family = fc.constantFrom(4, 16).chain((length) => fc.tuple(bytes(length), bytes(length), fc.nat(length * 8)));
  const bits = (address: Uint8Array) => [...address].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  fc.assert(fc.property(family, ([range, address, prefixBits]) => {
    const near = address.map((byte, i) => (i * 8 < prefixBits - 8 ? range[i]! : byte));
    for (const one of [address, near]) {
      const wanted = bits(range).slice(0, prefixBits) === bits(one).slice(0, prefixBits);
      assert.equal(contains({ bytes: range, prefixBits }, one), wanted);
    }
  }));
});

test("E74: all bytes of a range are compared (a /32 is one address, a /128 too)", () => {
  assert.equal(contains(parseCidr("10.1.2.3/32"), parseAddress("10.1.2.3")!), true);
  assert.equal(contains(parseCidr("10.1.2.3/32"), parseAddress("10.1.2.4")!), false);
  assert.equal(contains(parseCidr("10.1.2.3"), parseAddress("10.1.99.3")!), false);
  assert.equal(contains(parseCidr("::1/128"), parseAddress("::2")!), false);
  assert.equal(contains(parseCidr("::1"), parseAddress("::1")!), true);
  assert.equal(contains(parseCidr("10.1.2.3/8"), parseAddress("10.200.0.1")!), true);
  assert.equal(contains(parseCidr("0.0.0.0/0"), parseAddress("::")!), false);
});

test("a malformed range is refused with a sentence that shows it", () => {
  for (
    const text of ["", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8/8", "host/8", "10.0.0.0/1e1"]
  ) {
    assert.throws(() => parseCidr(text), /wanted CIDR/, text);
  }
});

test("formatting is undone by parsing", () => {
  const any = fc.oneof(fc.uint8Array({ minLength: 4, maxLength: 4 }), fc.uint8Array({ minLength: 16, maxLength: 16 }));
  fc.assert(fc.property(any, (address) => assert.deepEqual(parseAddress(formatAddress(address)), address)));
});
