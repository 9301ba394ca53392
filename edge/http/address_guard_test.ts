import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { createAddressGuard } from "./address_guard.ts";

const closed = createAddressGuard([]);

const REFUSED: readonly (readonly [address: string, named: RegExp])[] = [
  ["0.0.0.0", /this network/],
  ["0.1.2.3", /this network/],
  ["10.0.0.1", /private/],
  ["100.64.0.1", /carrier-grade NAT/],
  ["100.127.255.255", /carrier-grade NAT/],
  ["127.0.0.1", /loopback/],
  ["127.255.255.254", /loopback/],
  ["169.254.1.1", /link-local/],
  ["169.254.169.254", /metadata/],
  ["100.100.100.200", /metadata/],
  ["168.63.129.16", /metadata/],
  ["172.16.0.1", /private/],
  ["172.31.255.255", /private/],
  ["192.0.0.8", /IETF protocol/],
  ["192.0.2.1", /documentation/],
  ["192.88.99.1", /6to4/],
  ["192.168.0.1", /private/],
  ["198.18.0.1", /benchmarking/],
  ["198.19.255.255", /benchmarking/],
  ["198.51.100.7", /documentation/],
  ["203.0.113.9", /documentation/],
  ["224.0.0.1", /multicast/],
  ["239.255.255.255", /multicast/],
  ["240.0.0.1", /reserved/],
  ["255.255.255.255", /broadcast/],
  ["2130706433", /loopback/],
  ["0x7f.1", /loopback/],
  ["::", /unspecified/],
  ["::1", /loopback/],
  ["::ffff:7f00:1", /IPv4-mapped/],
  ["[::ffff:93.184.216.34]", /IPv4-mapped/],
  ["::ffff:0:127.0.0.1", /IPv4-translated/],
  ["::7f00:1", /IPv4-compatible/],
  ["64:ff9b::7f00:1", /NAT64/],
  ["64:ff9b:1::1", /NAT64/],
  ["100::1", /discard/],
  ["2001::1", /Teredo/],
  ["2001:2::1", /benchmarking/],
  ["2001:10::1", /ORCHID/],
  ["2001:2f::1", /ORCHID/],
  ["2001:1ff::1", /IETF protocol/],
  ["2001:db8::1", /documentation/],
  ["2002:7f00:1::", /6to4/],
  ["3fff::1", /documentation/],
  ["4000::1", /reserved/],
  ["5f00::1", /reserved/],
  ["1::1", /reserved/],
  ["fc00::1", /unique-local/],
  ["fdff::1", /unique-local/],
  ["fd00:ec2::254", /metadata/],
  ["fe80::1%eth0", /link-local/],
  ["febf::1", /link-local/],
  ["fec0::1", /site-local/],
  ["ff02::1", /multicast/],
];

const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "169.253.255.255",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2001:4860:4860::8888",
  "2001:200::1",
  "2606:4700::1111",
  "2a00:1450::1",
  "3ffe::1",
];

test("addresses that are no public web are refused, and the sentence names the class and the flag", () => {
  for (const [address, named] of REFUSED) {
    const refusal = closed.refusal(address, false);
    assert.match(refusal ?? "allowed", named, address);
    assert.match(refusal!, /--allow-address \S+\/(32|128)\.$/, address);
  }
});

test("public addresses are allowed, up to the borders of the refused ranges", () => {
  for (const address of PUBLIC) assert.equal(closed.refusal(address, false), undefined, address);
});

test("what is no address is refused", () => {
  for (const text of ["", "localhost", "1.2.3.4.5", "example.com"]) {
    assert.match(closed.refusal(text, false)!, /not an IP/);
  }
});

test("E74: an opened range opens exactly its addresses, in every spelling", () => {
  const guard = createAddressGuard(["127.0.0.0/8", "10.1.2.3", "fd00::/16"]);
  for (const address of ["127.0.0.1", "127.9.9.9", "2130706433", "::ffff:127.0.0.1", "10.1.2.3", "fd00::99"]) {
    assert.equal(guard.refusal(address, false), undefined, address);
    assert.equal(guard.isOpened(address), true, address);
  }
  for (const address of ["10.1.2.4", "::1", "fd01::1", "::ffff:10.1.2.4", "192.168.0.1"]) {
    assert.notEqual(guard.refusal(address, false), undefined, address);
    assert.equal(guard.isOpened(address), false, address);
  }
});

test("opening NAT64 opens the public web behind it, not the private network", () => {
  const guard = createAddressGuard(["64:ff9b::/96"]);
  assert.equal(guard.refusal("64:ff9b::8.8.8.8", false), undefined);
  assert.match(guard.refusal("64:ff9b::10.0.0.1", false)!, /--allow-address 10\.0\.0\.1\/32/);
});

test("with onlyOpened a public address is refused, and the sentence says why", () => {
  const guard = createAddressGuard(["127.0.0.0/8"]);
  assert.equal(guard.refusal("127.0.0.1", true), undefined);
  assert.match(guard.refusal("8.8.8.8", true)!, /without delay.*--allow-address 8\.8\.8\.8\/32/);
  assert.match(createAddressGuard([]).refusal("127.0.0.1", true)!, /loopback/);
});

test("a malformed range stops the start", () => {
  assert.throws(() => createAddressGuard(["127.0.0.0/40"]), /wanted CIDR/);
});
