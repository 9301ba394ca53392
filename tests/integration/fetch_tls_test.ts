/** Every way in which TLS goes wrong: nothing is sent, the class is `tls`, and the sentence names the fault. */

import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { failed, get, testFetcher, type TestLookup } from "../support/fetching.ts";
import { type RawRequest, type RawServerOptions, startRawServer } from "../support/raw_server.ts";
import { RUNTIME, test } from "../support/test.ts";
import { TLS_FAULTS } from "../support/tls_faults.ts";
import { TLS_FIXTURE } from "../support/tls_fixture.ts";

/** Deno's TLS doesn't tell what about a certificate it doesn't believe. */
const DATES = RUNTIME === "deno" ? { expired: "untrusted", future: "untrusted" } : {
  expired: "expired",
  future: "not yet valid",
};

/** A TLS record: fatal alert of this number (RFC 8446 6). */
const alert = (number: number) => (socket: Socket) => void socket.end(new Uint8Array([21, 3, 3, 0, 2, 2, number]));

interface Case {
  readonly name: string;
  readonly options: RawServerOptions;
  readonly fault: RegExp;
  readonly ca?: string;
  readonly host?: string;
}

const CASES: readonly Case[] = [
  { name: "expired", options: { tls: TLS_FAULTS.expired }, ca: TLS_FAULTS.ca, fault: new RegExp(DATES.expired) },
  { name: "not yet valid", options: { tls: TLS_FAULTS.future }, ca: TLS_FAULTS.ca, fault: new RegExp(DATES.future) },
  { name: "another name", options: { tls: TLS_FIXTURE.leaf }, host: "bad.example.test", fault: /wrong name/ },
  { name: "self-signed", options: { tls: TLS_FIXTURE.selfSigned }, fault: /self-signed|untrusted/ },
  { name: "unknown issuer", options: { tls: TLS_FIXTURE.leaf }, ca: TLS_FAULTS.ca, fault: /untrusted/ },
  {
    name: "plain HTTP",
    options: { onConnection: (socket) => void socket.end("HTTP/1.1 400 Bad\r\n\r\n") },
    fault: /no TLS/,
  },
  // E76: a name that the server doesn't serve.
  {
    name: "unrecognized_name",
    options: { onConnection: alert(112) },
    fault: /alert (unrecognized_name|handshake_failure)/,
  },
  { name: "handshake_failure", options: { onConnection: alert(40) }, fault: /alert handshake_failure/ },
  { name: "protocol_version", options: { onConnection: alert(70) }, fault: /old protocol/ },
  // A server that speaks HTTP/2 alone (RFC 7301 3.2).
  { name: "no_application_protocol", options: { onConnection: alert(120) }, fault: /alert no_application_protocol/ },
  { name: "internal_error", options: { onConnection: alert(80) }, fault: /alert internal_error/ },
];

test("TLS: each fault has its name, E76 among them, and nothing is sent", async () => {
  const lookup: TestLookup = () => Promise.resolve(["127.0.0.1"]);
  for (const { name, options, fault, ca = TLS_FIXTURE.ca, host = "good.example.test" } of CASES) {
    const server = await startRawServer(() => {}, options);
    const fetcher = testFetcher({ trustedCa: ca, lookup });
    const failure = failed(await fetcher.fetch(get(`https://${host}:${server.port}/`)));
    assert.deepEqual([failure.failure, failure.sent], ["tls", true], `${name}: ${failure.detail}`);
    assert.match(failure.detail, new RegExp(`failed in TLS \\((${fault.source})\\): .*; wanted a TLS handshake`), name);
    assert.equal(server.heads.length, 0, name);
    await fetcher.close();
    await server.close();
  }
});

test("TLS: an exchange tells the version that was spoken, over plain HTTP none", async () => {
  const answer = ({ socket }: RawRequest) => void socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  for (const tls of [TLS_FIXTURE.leaf, undefined]) {
    const server = await startRawServer(answer, tls === undefined ? {} : { tls });
    const fetcher = testFetcher({ trustedCa: TLS_FIXTURE.ca, lookup: () => Promise.resolve(["127.0.0.1"]) });
    const scheme = tls === undefined ? "http" : "https";
    const exchange = await fetcher.fetch(get(`${scheme}://good.example.test:${server.port}/`));
    assert.ok(exchange.ok, JSON.stringify(exchange));
    assert.equal(exchange.tlsVersion, tls && "TLSv1.3");
    await fetcher.close();
    await server.close();
  }
});

test("TLS: without a CA of the test's the system's are used, and don't know it", async () => {
  const server = await startRawServer(() => {}, { tls: TLS_FIXTURE.leaf });
  const fetcher = testFetcher({ lookup: () => Promise.resolve(["127.0.0.1"]) });
  const failure = failed(await fetcher.fetch(get(`https://good.example.test:${server.port}/`)));
  assert.match(failure.detail, /failed in TLS \(untrusted\)/);
  await fetcher.close();
  await server.close();
});

test("TLS: a handshake that is broken off or reset is a reset, one that is nonsense is TLS' fault", async () => {
  const cases: [string, (socket: Socket) => void, string][] = [
    ["closed", (socket) => void socket.once("data", () => socket.end()), "connect_reset"],
    ["cut in a record", (socket) => void socket.end(new Uint8Array([22, 3, 3, 0, 4, 2, 0, 0])), "connect_reset"],
    ["nonsense", (socket) => void socket.end(new Uint8Array(64).fill(0xff)), "tls"],
  ];
  for (const [name, onConnection, wanted] of cases) {
    const server = await startRawServer(() => {}, { onConnection });
    const fetcher = testFetcher();
    const failure = failed(await fetcher.fetch(get(`https://127.0.0.1:${server.port}/`)));
    assert.deepEqual([failure.failure, failure.sent], [wanted, true], `${name}: ${failure.detail}`);
    await fetcher.close();
    await server.close();
  }
});
