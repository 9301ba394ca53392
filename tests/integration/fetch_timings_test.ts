import assert from "node:assert/strict";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout } from "node:timers";
import { get, testFetcher, whole } from "../support/fetching.ts";
import { startRawServer } from "../support/raw_server.ts";
import { test } from "../support/test.ts";
import { TLS_FIXTURE } from "../support/tls_fixture.ts";

const HELLO = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
const HELD_MS = 60;
/** Timers may fire a moment before their time. */
const TIMER_SLACK_MS = 5;

/** Accepts at once, and holds back for `HELD_MS` whatever a client sends to `port`. */
async function startHolder(port: number): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const kept = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    return socket;
  };
  const server = createServer((client) => {
    const upstream = kept(connect(port, "127.0.0.1"));
    kept(client).on("data", (bytes) => void setTimeout(() => upstream.write(bytes), HELD_MS));
    upstream.on("data", (bytes) => void client.write(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

test("a new connection's TCP time is told; a kept connection has none", async () => {
  const server = await startRawServer((request) => void request.send(HELLO));
  const fetcher = testFetcher();
  const first = whole(await fetcher.fetch(get(`${server.origin}/1`))).timings;
  const second = whole(await fetcher.fetch(get(`${server.origin}/2`))).timings;
  assert.ok(first.tcpMs! > 0 && first.tcpMs! <= first.connectMs!, JSON.stringify(first));
  assert.deepEqual([second.tcpMs, second.connectMs, server.connections], [undefined, undefined, 1]);
  await fetcher.close();
  await server.close();
});

test("the TCP time leaves out what the name and the TLS handshake took", async () => {
  const server = await startRawServer((request) => void request.send(HELLO), { tls: TLS_FIXTURE.leaf });
  const holder = await startHolder(server.port);
  const lookup = async () => {
    await new Promise<void>((resolve) => void setTimeout(resolve, HELD_MS));
    return ["127.0.0.1"];
  };
  const fetcher = testFetcher({ trustedCa: TLS_FIXTURE.ca, lookup });
  const { timings } = whole(await fetcher.fetch(get(`https://good.example.test:${holder.port}/`)));
  assert.ok(timings.connectMs! - timings.tcpMs! >= 2 * HELD_MS - TIMER_SLACK_MS, JSON.stringify(timings));
  await fetcher.close();
  await holder.close();
  await server.close();
});
