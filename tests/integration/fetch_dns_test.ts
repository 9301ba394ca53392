/** Names through a DNS server of the tests' own: what it answers, when it answers, and what it may not do. */

import assert from "node:assert/strict";
import { createResolver, LookupFailure } from "../../edge/http/resolver.ts";
import { createNameLookup, type NameLookup } from "../../edge/http/dns/name_lookup.ts";
import { systemClock } from "../../runtime/node.ts";
import { addressOf, type Asked, type DnsAnswer, type Records, startDnsServer } from "../support/dns_server.ts";
import { failed, get, testFetcher, text, whole } from "../support/fetching.ts";
import { startRawServer } from "../support/raw_server.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";
import { writeFileSync } from "node:fs";

const HELLO = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

function late(answer: Records, delayMs: number): Records {
  return { ...answer, delayMs };
}

interface Setting {
  readonly names: NameLookup;
  readonly asked: readonly Asked[];
  /** The code of the failure, "" when it was found. */
  code(name: string): Promise<string>;
}

async function withDns(
  answer: (asked: Asked) => DnsAnswer,
  work: (setting: Setting) => Promise<void>,
  more: { readonly triesMs?: number[]; readonly before?: (asked: Asked) => DnsAnswer } = {},
): Promise<void> {
  const servers = [await startDnsServer(answer)];
  if (more.before !== undefined) servers.unshift(await startDnsServer(more.before));
  const names = createNameLookup({
    clock: systemClock,
    servers: servers.map(({ address }) => address),
    hostsPath: "/nowhere/hosts",
    triesMs: more.triesMs ?? [5000],
  });
  const code = async (name: string) => {
    try {
      await names.lookup(name);
      return "";
    } catch (error) {
      assert.ok(error instanceof LookupFailure, `${error}`);
      return error.code;
    }
  };
  try {
    await work({ names, asked: servers.at(-1)!.asked, code });
  } finally {
    names.close();
    for (const server of servers) await server.close();
  }
}

test("DNS: both families are asked, IPv6 comes first, and the shorter TTL counts", async () => {
  await withDns((asked) => {
    const { name, type } = asked;
    return { records: type === "A" ? [["A", name, "192.0.2.1", 30]] : [["AAAA", name, "2001:db8::1", 20]] };
  }, async ({ names, asked }) => {
    const found = await names.lookup("both.example");
    assert.deepEqual([found.addresses, found.ttlMs], [["2001:db8::1", "192.0.2.1"], 20_000]);
    assert.deepEqual(asked.map(({ type }) => type).sort(), ["A", "AAAA"]);
  });
});

test("DNS: an alias is followed within the answer, good for its shortest record; a loop of aliases ends", async () => {
  await withDns(({ name, type }) => {
    if (name === "loop.example") {
      return { records: [["CNAME", name, "b.example", 9], ["CNAME", "b.example", name, 9]] };
    }
    const chain = Array.from(
      { length: 8 },
      (_, i) => ["CNAME", i === 0 ? name : `n${i}.example`, `N${i + 1}.example`, 90 - i],
    );
    const end = type === "A" ? [["A", "n8.example", "192.0.2.7", 300], ["A", "other.example", "192.0.2.9", 300]] : [];
    return { records: [...chain, ...end] as never, negativeTtl: 5 };
  }, async ({ names, code }) => {
    const found = await names.lookup("alias.example");
    assert.deepEqual([found.addresses, found.ttlMs], [["192.0.2.7"], 83_000]);
    assert.match(await code("loop.example"), /too many aliases/);
  });
});

test("DNS: no such name, no address and a server's failure are told apart, with the zone's time", async () => {
  await withDns(({ name }) => {
    if (name === "none.example") return { records: [], code: "NXDOMAIN", negativeTtl: 77 };
    if (name === "empty.example") return { records: [], negativeTtl: 66 };
    return { records: [], code: name === "refused.example" ? "REFUSED" : "SERVFAIL" };
  }, async ({ names, code }) => {
    assert.deepEqual(await Promise.all(["none", "empty", "refused", "broken"].map((one) => code(`${one}.example`))), [
      "ENOTFOUND",
      "ENODATA",
      "REFUSED",
      "SERVFAIL",
    ]);
    await names.lookup("none.example").catch(({ ttlMs }) => assert.equal(ttlMs, 77_000));
  });
});

test("DNS: an answer that no datagram holds is asked for over TCP", async () => {
  await withDns(
    (asked) =>
      asked.over === "udp" ? { records: [], truncated: true } : {
        records: Array.from(
          { length: 200 },
          (_, i) => [asked.type, asked.name, asked.type === "A" ? `192.0.2.${i}` : `2001:db8::${i}`, 60],
        ) as never,
      },
    async ({ names }) => assert.equal((await names.lookup("large.example")).addresses.length, 400),
  );
});

test("DNS: a silent or failing server gives way to the next, and a late answer still counts", async () => {
  const good = (asked: Asked) => addressOf(asked, "192.0.2.1");
  for (const bad of ["silence", { records: [], code: "SERVFAIL" }, { raw: new Uint8Array([1, 2, 3]) }] as const) {
    const before = () => bad;
    await withDns(good, async ({ names }) => {
      assert.deepEqual((await names.lookup("a.example")).addresses, ["192.0.2.1"]);
    }, { before, triesMs: [100, 5000] });
  }
  // The first server answers after the second was asked, which never does.
  const before = (asked: Asked) => late(addressOf(asked, "192.0.2.2"), 300);
  await withDns(() => "silence", async ({ names }) => {
    assert.deepEqual((await names.lookup("a.example")).addresses, ["192.0.2.2"]);
  }, { before, triesMs: [100, 5000] });
});

test("DNS: a server without extensions is asked without them", async () => {
  await withDns(
    (asked) => asked.nth === 1 ? { records: [], code: "FORMERR" } : addressOf(asked, "192.0.2.1"),
    async ({ names }) => assert.deepEqual((await names.lookup("old.example")).addresses, ["192.0.2.1"]),
  );
});

test("DNS: who wasn't asked isn't believed", async () => {
  await withDns(
    (asked) => {
      const forged = [["A", asked.name, "10.6.6.6", 300], ["AAAA", asked.name, "fd00::666", 300]] as const;
      return { ...late(addressOf(asked, "192.0.2.1"), 100), forged };
    },
    async ({ names }) => assert.deepEqual((await names.lookup("a.example")).addresses, ["192.0.2.1"]),
  );
});

test("DNS: nonsense in an answer is no answer, and the name fails in time", async () => {
  const pieces = [
    [],
    [0, 0, 0x80],
    Array.from({ length: 40 }, () => 0xc0),
    Array.from({ length: 600 }, (_, i) => i & 255),
  ];
  for (const piece of pieces) {
    await withDns(() => ({ raw: new Uint8Array(piece) }), async ({ code }) => {
      assert.equal(await code("a.example"), "ETIMEOUT");
    }, { triesMs: [50] });
  }
});

test("DNS: a slow name blocks nobody, also a thousand of them", async () => {
  const answer = (asked: Asked) => asked.name.startsWith("slow") ? "silence" : addressOf(asked, "192.0.2.1");
  await withDns(answer, async ({ names }) => {
    let slowEnded = 0;
    const slow = Array.from(
      { length: 1000 },
      (_, i) => names.lookup(`slow${i}.example`).catch(() => {}).finally(() => slowEnded++),
    );
    const fast = Array.from({ length: 200 }, (_, i) => names.lookup(`fast${i}.example`));
    await Promise.all(fast);
    assert.equal(slowEnded, 0, "the fast names waited for slow ones");
    names.close();
    await Promise.all(slow);
  }, { triesMs: [500, 500, 500, 30_000] });
});

test("DNS: the answer of one family is used when the other's is late, and completed when it comes", async () => {
  const answer = (asked: Asked) =>
    asked.type === "A"
      ? addressOf(asked, "192.0.2.1")
      : { ...(addressOf(asked, "2001:db8::1") as object), delayMs: 400 } as DnsAnswer;
  await withDns(answer, async ({ names }) => {
    const found = await names.lookup("half.example");
    assert.deepEqual(found.addresses, ["192.0.2.1"]);
    assert.deepEqual((await found.rest)!.addresses, ["2001:db8::1", "192.0.2.1"]);
  });
});

test("names that aren't for DNS are never asked for there: hosts file, localhost, .onion, too long", async () => {
  const folder = await temporaryFolder();
  const hostsPath = `${folder.path}/hosts`;
  writeFileSync(hostsPath, "# comment\n192.0.2.8 Printer.example printer # here\n::1 printer\nrubbish name\n");
  const server = await startDnsServer((asked) => addressOf(asked, "192.0.2.1"));
  const names = createNameLookup({ clock: systemClock, servers: [server.address], hostsPath });
  assert.deepEqual((await names.lookup("printer.example")).addresses, ["192.0.2.8"]);
  assert.deepEqual((await names.lookup("printer")).addresses, ["192.0.2.8", "::1"]);
  assert.deepEqual((await names.lookup("a.localhost")).addresses, ["127.0.0.1", "::1"]);
  for (const name of ["secret.onion", "a.invalid", `${"a".repeat(64)}.example`, `${"a.".repeat(130)}example`, "a..b"]) {
    await assert.rejects(names.lookup(name), LookupFailure, name);
  }
  assert.equal(server.asked.length, 0);
  names.close();
  await server.close();
  await folder.remove();
});

test("E73: a name that resolves first public, then to an inner address, gets no connection there", async () => {
  const inner = await startRawServer((request) => void request.send(HELLO), { host: "127.0.0.2" });
  const good = await startRawServer((request) => request.end(HELLO));
  const dns = await startDnsServer((asked) => {
    if (asked.name === "zero.example") return addressOf(asked, asked.type === "A" ? "0.0.0.0" : "::");
    return addressOf(asked, asked.nth === 1 ? "127.0.0.1" : "127.0.0.2", 0);
  });
  const names = createNameLookup({ clock: systemClock, servers: [dns.address], hostsPath: "/nowhere" });
  // Its own cache is left out: each connection asks anew, as if the TTL were over.
  const resolver = {
    resolve: (host: string) => createResolver({ clock: systemClock, lookup: names.lookup }).resolve(host),
  };
  const fetcher = testFetcher({ opened: ["127.0.0.1/32", "0.0.0.0/32"], resolver });
  assert.equal(text(whole(await fetcher.fetch(get(`http://rebind.example:${good.port}/`))).body), "hello");
  const second = failed(await fetcher.fetch(get(`http://rebind.example:${inner.port}/`)));
  assert.deepEqual([second.failure, second.sent, second.remoteAddress], ["address_refused", false, "127.0.0.2"]);
  assert.equal(failed(await fetcher.fetch(get("http://zero.example/"))).failure, "dns", "E69");
  assert.equal(inner.connections, 0);
  await fetcher.close();
  names.close();
  for (const server of [dns, inner, good]) await server.close();
});

test("a DNS server's address is read as --resolver gives it", () => {
  const make = (server: string) => createNameLookup({ clock: systemClock, servers: [server] }).close();
  for (const good of ["192.0.2.1", "192.0.2.1:5353", "2001:db8::1", "[2001:db8::1]:53", "[2001:db8::1]"]) make(good);
  for (const bad of ["", "dns.example", "192.0.2.1:0", "192.0.2.1:70000", "192.0.2:53", "[192.0.2.1]:53", "[::1]:x"]) {
    assert.throws(() => make(bad), /wanted an IP address/, bad);
  }
});
