import assert from "node:assert/strict";
import { failed, get, testFetcher, type TestLookup, text, whole } from "../support/fetching.ts";
import { startRawServer } from "../support/raw_server.ts";
import { test } from "../support/test.ts";
import { TLS_FIXTURE } from "../support/tls_fixture.ts";

const HELLO = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const noLookup: TestLookup = (host) => Promise.reject(new Error(`looked up ${host}`));

test("E07, E73: loopback in every spelling is refused before a packet is sent", async () => {
  const server = await startRawServer((request) => void request.send(HELLO));
  const fetcher = testFetcher({ opened: [], lookup: noLookup });
  const hosts = ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.0.1.", "0", "0.0.0.0"];
  const wide = ["127。0。0。1", "127.0.0.1", "①②⑦.0.0.1", "%31%32%37.0.0.1"];
  const six = ["[::1]", "[::ffff:7f00:1]", "[::ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[::]"];
  for (const host of [...hosts, ...wide, ...six]) {
    const failure = failed(await fetcher.fetch(get(`http://${host}:${server.port}/`)));
    assert.deepEqual([failure.failure, failure.sent], ["address_refused", false], `${host}: ${failure.detail}`);
    assert.match(failure.detail, /--allow-address/, host);
  }
  for (const host of ["169.254.169.254", "100.64.0.1", "10.0.0.1", "192.168.1.1", "[fd00::1]", "[fe80::1]"]) {
    assert.equal(failed(await fetcher.fetch(get(`http://${host}/`))).failure, "address_refused", host);
  }
  assert.equal(server.connections, 0);
  await fetcher.close();
  await server.close();
});

test("E71: IP literals never reach the resolver", async () => {
  const server = await startRawServer((request) => void request.send(HELLO));
  const fetcher = testFetcher({ lookup: noLookup });
  for (const host of ["127.0.0.1", "2130706433"]) {
    assert.equal(text(whole(await fetcher.fetch(get(`http://${host}:${server.port}/`))).body), "hello", host);
  }
  await fetcher.close();
  await server.close();
});

test("names are refused by what they resolve to, and the answer says which address", async () => {
  const server = await startRawServer((request) => void request.send(HELLO));
  const answers: Record<string, string[]> = {
    "loop.test": ["127.0.0.1"],
    "mapped.test": ["::ffff:127.0.0.1"],
    "metadata.test": ["169.254.169.254"],
    "nat.test": ["100.64.0.1", "10.0.0.1"],
  };
  const fetcher = testFetcher({ opened: [], lookup: (host) => Promise.resolve(answers[host] ?? []) });
  for (const [host, addresses] of Object.entries(answers)) {
    const failure = failed(await fetcher.fetch(get(`http://${host}:${server.port}/`)));
    assert.deepEqual([failure.failure, failure.sent, failure.remoteAddress], ["address_refused", false, addresses[0]]);
    assert.ok(failure.detail.includes(addresses[0]!), failure.detail);
  }
  const none = failed(await fetcher.fetch(get("http://unknown.test/")));
  assert.deepEqual([none.failure, none.sent], ["dns", false]);
  assert.equal(server.connections, 0);
  await fetcher.close();
  await server.close();
});

test("E69: 0.0.0.0 as an answer is a DNS failure, not a connection to this machine", async () => {
  const fetcher = testFetcher({ opened: ["0.0.0.0/0", "::/0"], lookup: () => Promise.resolve(["0.0.0.0", "::"]) });
  const failure = failed(await fetcher.fetch(get("http://blocked.test/")));
  assert.deepEqual([failure.failure, failure.sent], ["dns", false]);
  await fetcher.close();
});

test("rebinding has no hold: the address that was checked is the one that is connected to", async () => {
  const good = await startRawServer((request) => void request.send(HELLO));
  const evil = await startRawServer((request) => void request.send(HELLO), { host: "127.0.0.2" });
  let calls = 0;
  // First the opened address, then the inner one, as a rebinding resolver answers.
  const fetcher = testFetcher({
    opened: ["127.0.0.1/32"],
    lookup: () => Promise.resolve([++calls === 1 ? "127.0.0.1" : "127.0.0.2"]),
  });
  const exchange = whole(await fetcher.fetch(get(`http://rebind.test:${good.port}/`)));
  assert.deepEqual([exchange.remoteAddress, calls], ["127.0.0.1", 1]);
  assert.match(text(exchange.requestHead), new RegExp(`host: rebind\\.test:${good.port}\r\n`));
  await fetcher.close();
  const again = testFetcher({ opened: ["127.0.0.1/32"], lookup: () => Promise.resolve(["127.0.0.2"]) });
  assert.equal(failed(await again.fetch(get(`http://rebind.test:${evil.port}/`))).failure, "address_refused");
  assert.equal(evil.connections, 0);
  await again.close();
  await good.close();
  await evil.close();
});

test("of a mixed answer only the allowed addresses are tried; a dead one gives way to the next", async () => {
  const server = await startRawServer((request) => void request.send(HELLO));
  const opened = ["127.0.0.1/32", "127.0.0.3/32"];
  const mixed = testFetcher({ opened, lookup: () => Promise.resolve(["127.0.0.2", "10.0.0.1", "127.0.0.1"]) });
  assert.equal(whole(await mixed.fetch(get(`http://mixed.test:${server.port}/`))).remoteAddress, "127.0.0.1");
  const dead = testFetcher({ opened, lookup: () => Promise.resolve(["127.0.0.3", "127.0.0.1"]) });
  assert.equal(whole(await dead.fetch(get(`http://dead.test:${server.port}/`))).remoteAddress, "127.0.0.1");
  await mixed.close();
  await dead.close();
  await server.close();
});

test("a resolver that hangs ends with the connect timeout, as a DNS failure", async () => {
  const fetcher = testFetcher({ lookup: () => new Promise(() => {}) });
  const failure = failed(await fetcher.fetch(get("http://hang.test/", { connectMs: 200 })));
  assert.deepEqual([failure.failure, failure.sent], ["dns", false]);
  await fetcher.close();
});

test("onlyOpened refuses public addresses and shares no connection", async () => {
  const server = await startRawServer((request) => void request.send(HELLO));
  const fetcher = testFetcher({ lookup: () => Promise.resolve(["93.184.216.34"]) });
  const only = { onlyOpened: true };
  assert.equal(failed(await fetcher.fetch(get("http://public.test/", {}, only))).failure, "address_refused");
  for (const more of [only, {}, only]) whole(await fetcher.fetch(get(`${server.origin}/`, {}, more)));
  assert.equal(server.connections, 2);
  await fetcher.close();
  await server.close();
});

test("TLS: the certificate is checked against the URL's host, though the address is pinned", async () => {
  const server = await startRawServer((request) => void request.send(HELLO), { tls: TLS_FIXTURE.leaf });
  const fetcher = testFetcher({ trustedCa: TLS_FIXTURE.ca, lookup: () => Promise.resolve(["127.0.0.1"]) });
  for (
    const host of ["good.example.test", "GOOD.example.test", "good.example.test.", "a.wild.example.test", "127.0.0.1"]
  ) {
    const exchange = whole(await fetcher.fetch(get(`https://${host}:${server.port}/`)));
    assert.deepEqual([text(exchange.body), exchange.remoteAddress], ["hello", "127.0.0.1"], host);
  }
  for (const host of ["bad.example.test", "example.test", "a.b.wild.example.test"]) {
    const failure = failed(await fetcher.fetch(get(`https://${host}:${server.port}/`)));
    assert.deepEqual([failure.failure, failure.sent], ["tls", true], `${host}: ${failure.detail}`);
  }
  assert.equal(server.heads.length, 5);
  await fetcher.close();
  await server.close();
});

test("a TLS server that never answers the handshake is a connect timeout", async () => {
  const mute = await startRawServer(() => {});
  const fetcher = testFetcher();
  const failure = failed(await fetcher.fetch(get(`https://127.0.0.1:${mute.port}/`, { connectMs: 300 })));
  assert.deepEqual([failure.failure, failure.sent], ["connect_timeout", true]);
  await fetcher.close();
  await mute.close();
});

test("happy eyeballs: an address that accepts and falls silent costs a quarter of a second, not the connect timeout", async () => {
  const server = await startRawServer((request) => request.end(HELLO), { tls: TLS_FIXTURE.leaf });
  const mute = await startRawServer(() => {}, { host: "127.0.0.2", port: server.port });
  const lookup: TestLookup = () => Promise.resolve(["127.0.0.2", "127.0.0.1"]);
  const fetcher = testFetcher({ trustedCa: TLS_FIXTURE.ca, lookup });
  const exchange = whole(await fetcher.fetch(get(`https://good.example.test:${server.port}/`)));
  assert.deepEqual([exchange.remoteAddress, mute.connections], ["127.0.0.1", 1]);
  assert.ok(exchange.timings.totalMs >= 240 && exchange.timings.totalMs < 3_000, `${exchange.timings.totalMs}`);
  await fetcher.close();
  await mute.close();
  await server.close();
});

test("E75: hosts with an underscore are fetched", async () => {
  const server = await startRawServer((request) => void request.send(HELLO));
  const fetcher = testFetcher({ lookup: () => Promise.resolve(["127.0.0.1"]) });
  assert.equal(whole(await fetcher.fetch(get(`http://a_b.example.test:${server.port}/`))).status, 200);
  await fetcher.close();
  await server.close();
});
