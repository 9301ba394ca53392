import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Server } from "node:net";
import { systemClock, systemRandom } from "../../runtime/node.ts";
import { test } from "../../tests/support/test.ts";
import { createNetworkProbe } from "./network_probe.ts";
import { createResolver, type Lookup, LookupFailure } from "./resolver.ts";

const probing = (lookup: Lookup) => createNetworkProbe({ clock: systemClock, random: systemRandom, lookup });
const never: Lookup = () => new Promise(() => {});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

test("network probe: a connection stands, is closed, and nothing was sent on it; a closed port takes none", async () => {
  let bytes = 0;
  let closed = () => {};
  const isClosed = new Promise<void>((resolve) => closed = resolve);
  const server = createServer((socket) => {
    socket.on("data", (data) => bytes += data.length);
    socket.on("error", () => {});
    socket.on("close", closed);
    socket.resume();
  });
  const port = await listening(server);
  const { probe } = probing(never);
  assert.equal(await probe.connects("127.0.0.1", port, 2_000), true);
  await isClosed;
  assert.equal(bytes, 0);
  await new Promise((resolve) => server.close(resolve));
  assert.equal(await probe.connects("127.0.0.1", port, 2_000), false);
});

test("network probe: an answer of DNS counts, whatever it says; failing servers, files and silence don't", async () => {
  const cases: readonly [lookup: Lookup, resolves: boolean, isDns: boolean][] = [
    [() => Promise.resolve({ addresses: ["192.0.2.1"], ttlMs: 60_000 }), true, true],
    [() => Promise.reject(new LookupFailure("ENOTFOUND", "no such name", 60_000)), true, true],
    [() => Promise.reject(new LookupFailure("ENODATA", "no address", 60_000)), true, true],
    [() => Promise.resolve({ addresses: ["192.0.2.1"] }), true, false],
    [() => Promise.reject(new LookupFailure("SERVFAIL", "")), false, false],
    [() => Promise.reject(new LookupFailure("ETIMEOUT", "")), false, false],
    [() => Promise.reject(Object.assign(new Error("try again"), { code: "EAI_AGAIN" })), false, false],
    [never, false, false],
  ];
  for (const [answer, resolves, isDns] of cases) {
    const names: string[] = [];
    const { probe, lookup } = probing((name) => {
      names.push(name);
      return answer(name);
    });
    assert.equal(await probe.resolves(50), resolves, String(answer));
    assert.equal(probe.resolvedAt() > -Infinity, isDns, String(answer));
    assert.equal(await probe.knows(["a.test", "b.test"], 50), resolves);
    assert.match(names[0]!, /^[0-9a-f]{16}\.root-servers\.net$/, "a name that nobody has in a cache");
    void lookup("c.test").catch(() => {});
    assert.deepEqual(names.slice(1), ["a.test", "b.test", "c.test"]);
  }
});

test("resolver: that no server answered says nothing of the name, and isn't kept", async () => {
  let isDown = true;
  const resolver = createResolver({
    clock: systemClock,
    lookup: () =>
      isDown ? Promise.reject(new LookupFailure("ETIMEOUT", "")) : Promise.resolve({ addresses: ["192.0.2.1"] }),
  });
  const failed = await resolver.resolve("a.test");
  assert.equal(!failed.ok && failed.unanswered, true);
  isDown = false;
  assert.deepEqual(await resolver.resolve("a.test"), { ok: true, addresses: ["192.0.2.1"] });
});
