import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { overrideFinder, parseResolveOverride } from "./resolve_override.ts";
import { createResolver, type Found, LookupFailure } from "./resolver.ts";

/** A clock that only the test moves, and a look-up that counts. */
function bench(
  lookup: (host: string) => Promise<readonly string[] | Found>,
  options: { maxNames?: number; overrides?: string[] } = {},
) {
  const asked: string[] = [];
  let now = 0;
  const clock = { wallMs: () => now, monotonicMs: () => now, sleep: () => Promise.resolve() };
  const resolver = createResolver({
    clock,
    lookup: async (host) => {
      asked.push(host);
      const found = await lookup(host);
      return "addresses" in found ? found : { addresses: found };
    },
    positiveTtlMs: 1000,
    negativeTtlMs: 100,
    overrides: (options.overrides ?? []).map(parseResolveOverride),
    ...(options.maxNames !== undefined && { maxNames: options.maxNames }),
  });
  return { resolver, asked, pass: (ms: number) => now += ms };
}

/** Lets promises that are settled run. */
async function turns(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve();
}

const refuse = () => Promise.reject(Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" }));

test("an answer is kept for its time and then asked anew", async () => {
  const { resolver, asked, pass } = bench(() => Promise.resolve(["192.0.2.1"]));
  for (let i = 0; i < 3; i++) {
    assert.deepEqual(await resolver.resolve("A.example."), { ok: true, addresses: ["192.0.2.1"] });
  }
  pass(899);
  await resolver.resolve("a.example");
  assert.deepEqual(asked, ["a.example"]);
  pass(101);
  await resolver.resolve("a.example");
  assert.equal(asked.length, 2);
});

test("look-ups of one name at the same time are one", async () => {
  const { resolver, asked } = bench(() => Promise.resolve(["192.0.2.1"]));
  await Promise.all(Array.from({ length: 20 }, () => resolver.resolve("a.example")));
  assert.equal(asked.length, 1);
});

test("a failure is a sentence, kept for a shorter time, never for ever", async () => {
  const { resolver, asked, pass } = bench(refuse);
  const failed = await resolver.resolve("dead.example");
  assert.ok(!failed.ok && /dead\.example failed with ENOTFOUND/.test(failed.detail));
  pass(99);
  await resolver.resolve("dead.example");
  assert.equal(asked.length, 1);
  pass(1);
  await resolver.resolve("dead.example");
  assert.equal(asked.length, 2);
});

test("0.0.0.0, :: and no answer at all are failures", async () => {
  for (const answer of [["0.0.0.0"], ["::"], ["0.0.0.0", "::"], [], ["rubbish"]]) {
    const { resolver } = bench(() => Promise.resolve(answer));
    assert.equal((await resolver.resolve("blocked.example")).ok, false, answer.join());
  }
  const { resolver } = bench(() => Promise.resolve(["0.0.0.0", "192.0.2.1", "192.0.2.1"]));
  assert.deepEqual(await resolver.resolve("mixed.example"), { ok: true, addresses: ["192.0.2.1"] });
});

test("the cache is bounded", async () => {
  const { resolver, asked } = bench(() => Promise.resolve(["192.0.2.1"]), { maxNames: 3 });
  for (const name of ["a", "b", "c", "d", "b", "a"]) await resolver.resolve(name);
  assert.deepEqual(asked, ["a", "b", "c", "d", "a"]);
});

test("an answer is kept for the TTL that it came with, within bounds (E69)", async () => {
  const cases = [[0, 10_000], [20_000, 20_000], [86_400_000, 3_600_000]] as const;
  for (const [ttlMs, keptMs] of cases) {
    const { resolver, asked, pass } = bench(() => Promise.resolve({ addresses: ["192.0.2.1"], ttlMs }));
    await resolver.resolve("a.example");
    pass(keptMs * 0.8);
    await resolver.resolve("a.example");
    assert.equal(asked.length, 1, `${ttlMs}`);
    pass(keptMs * 0.2);
    await resolver.resolve("a.example");
    assert.equal(asked.length, 2, `${ttlMs}`);
  }
});

test("a failure is kept for its zone's time, within bounds", async () => {
  for (const [ttlMs, keptMs] of [[0, 5_000], [60_000, 60_000], [86_400_000, 300_000]] as const) {
    const { resolver, asked, pass } = bench(() => Promise.reject(new LookupFailure("ENOTFOUND", "no name", ttlMs)));
    const answer = await resolver.resolve("a.example");
    assert.deepEqual(answer, { ok: false, detail: "Resolving a.example failed with ENOTFOUND (no name)." });
    pass(keptMs - 1);
    await resolver.resolve("a.example");
    assert.equal(asked.length, 1, `${ttlMs}`);
    pass(1);
    await resolver.resolve("a.example");
    assert.equal(asked.length, 2, `${ttlMs}`);
  }
});

test("an answer that is used is renewed before its time is over, and nobody waits for that", async () => {
  const answers = ["192.0.2.1", "192.0.2.2"];
  const { resolver, asked, pass } = bench(() => Promise.resolve({ addresses: [answers.shift()!], ttlMs: 100_000 }));
  const address = async () => {
    const found = await resolver.resolve("a.example");
    return found.ok ? found.addresses[0] : found.detail;
  };
  assert.equal(await address(), "192.0.2.1");
  pass(95_000);
  assert.equal(await address(), "192.0.2.1");
  await turns();
  assert.equal(await address(), "192.0.2.2");
  pass(10_000);
  assert.equal(await address(), "192.0.2.2", "the renewed answer has a time of its own");
  assert.equal(asked.length, 2);
});

test("a renewal that fails leaves the answer to its end", async () => {
  let calls = 0;
  const { resolver, pass } = bench(() => {
    if (++calls > 1) return Promise.reject(new LookupFailure("ETIMEOUT", ""));
    return Promise.resolve({ addresses: ["192.0.2.1"], ttlMs: 100_000 });
  });
  await resolver.resolve("a.example");
  pass(95_000);
  for (let i = 0; i < 3; i++) assert.equal((await resolver.resolve("a.example")).ok, true);
  assert.equal(calls, 2);
  pass(5_000);
  assert.equal((await resolver.resolve("a.example")).ok, false);
});

test("the part of an answer that comes late is used from then on", async () => {
  let late: (found: Found) => void = () => {};
  const rest = new Promise<Found>((resolve) => late = resolve);
  const { resolver, asked } = bench(() => Promise.resolve({ addresses: ["192.0.2.1"], ttlMs: 60_000, rest }));
  assert.deepEqual(await resolver.resolve("a.example"), { ok: true, addresses: ["192.0.2.1"] });
  late({ addresses: ["2001:db8::1", "192.0.2.1"], ttlMs: 60_000 });
  await turns();
  assert.deepEqual(await resolver.resolve("a.example"), { ok: true, addresses: ["2001:db8::1", "192.0.2.1"] });
  assert.equal(asked.length, 1);
});

test("a look-up that never answers is given up and asked anew", async () => {
  let calls = 0;
  const { resolver, pass } = bench(() => ++calls === 1 ? new Promise(() => {}) : Promise.resolve(["192.0.2.1"]));
  void resolver.resolve("slow.example");
  pass(60_000);
  assert.equal((await resolver.resolve("slow.example")).ok, true);
});

test("overrides: exact before suffix, the longest suffix first, and no look-up", async () => {
  const overrides = ["*.test=127.0.0.1", "*.b.test=127.0.0.2,[::1]", "x.b.test=127.0.0.3", "Test=127.0.0.4"];
  const { resolver, asked } = bench(refuse, { overrides });
  const cases: [string, string[]][] = [
    ["a.test", ["127.0.0.1"]],
    ["deep.a.test.", ["127.0.0.1"]],
    ["a.b.test", ["127.0.0.2", "::1"]],
    ["X.B.test", ["127.0.0.3"]],
    ["b.test", ["127.0.0.1"]],
    ["test", ["127.0.0.4"]],
  ];
  for (const [name, addresses] of cases) assert.deepEqual(await resolver.resolve(name), { ok: true, addresses }, name);
  assert.deepEqual(asked, []);
  assert.equal((await resolver.resolve("atest")).ok, false);
  assert.equal(overrideFinder([])("a.test"), undefined);
});

test("a malformed override is refused with a sentence that shows it", () => {
  const texts = ["", "a.test", "a.test=", "=127.0.0.1", "a.test=host", "*=127.0.0.1", "a*b=127.0.0.1", "a=127.0.0.1,"];
  for (const text of [...texts, "a b=127.0.0.1", "a.test=127.0.0.1=2"]) {
    assert.throws(() => parseResolveOverride(text), /wanted HOST=ADDRESS/, text);
  }
});
