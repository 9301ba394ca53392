import assert from "node:assert/strict";
import { test } from "../tests/support/test.ts";
import { loadCore } from "./mod.ts";
import { registeredDomain, RegisteredDomains } from "./registered_domain.ts";

test("private suffixes count, addresses and bare names are their own", () => {
  const rows = {
    "a.b.example.co.uk": "example.co.uk",
    "me.github.io": "me.github.io",
    "x.me.github.io": "me.github.io",
    "github.io": "github.io",
    "co.uk": "co.uk",
    "localhost": "localhost",
    "192.168.0.1": "192.168.0.1",
    "[::1]": "[::1]",
    "www.example.com.": "example.com",
    "www..example..com": "www..example..com",
    ".example.com": ".example.com",
    "under_score.example.com": "example.com",
    "xn--bcher-kva.example.xn--p1ai": "example.xn--p1ai",
  };
  for (const [host, domain] of Object.entries(rows)) assert.equal(registeredDomain(host), domain);
});

test("the cache is bounded and keeps its answers", () => {
  let hashed = 0;
  const domains = new RegisteredDomains(() => BigInt(hashed++) << 52n);
  const first = domains.of("a.example.com");
  for (let i = 0; i < 70_000; i++) domains.of(`h${i}.example.org`);
  assert.equal(domains.of("a.example.com"), first);
  assert.equal(hashed, 70_001);
});

test("the slot is the top 12 bits of the domain's hash", async () => {
  const core = await loadCore();
  const facts = core.url("http://www.example.com/");
  assert.ok(!("error" in facts));
  assert.equal(facts.slot, Number(core.xxh64(new TextEncoder().encode("example.com")) >> 52n));
  assert.equal(core.domainOf("www.example.com"), "example.com");
});
