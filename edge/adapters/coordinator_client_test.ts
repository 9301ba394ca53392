import assert from "node:assert/strict";
import { LIMITS } from "../../protocol/mod.ts";
import { systemClock, systemRandom } from "../../runtime/node.ts";
import type { Clock, Logger } from "../../runtime/ports.ts";
import { serve } from "../../runtime/serve.ts";
import { test } from "../../tests/support/test.ts";
import { CoordinatorClient, CoordinatorRefused } from "./coordinator_client.ts";

/** Waits between tries end at once and are noted; the wait for a reply ends when the test says so. */
function quickClock() {
  const waits: number[] = [];
  let skippedMs = 0;
  let expire = () => {};
  const clock: Clock = {
    wallMs: () => systemClock.wallMs() + skippedMs,
    monotonicMs: () => systemClock.monotonicMs() + skippedMs,
    sleep(ms, signal) {
      if (ms === LIMITS.apiReplyMs) {
        return new Promise((resolve) => {
          expire = resolve;
          signal?.addEventListener("abort", () => resolve(), { once: true });
        });
      }
      waits.push(ms);
      skippedMs += ms;
      return systemClock.sleep(0);
    },
  };
  return { clock, waits, expire: () => expire() };
}

function noteLog() {
  const lines: string[] = [];
  const note = (message: string) => void lines.push(message);
  return { lines, log: { debug: note, info: note, warn: note, error: note } satisfies Logger };
}

type Answer = (request: Request, count: number) => Response | Promise<Response>;

/** `asked` counts the requests. */
async function withServer(
  answer: Answer,
  body: (url: string, asked: { count: number }) => Promise<void>,
): Promise<void> {
  const asked = { count: 0 };
  const handler = (request: Request) => answer(request, ++asked.count);
  const server = await serve({ hostname: "127.0.0.1", port: 0, handler });
  try {
    await body(server.url, asked);
  } finally {
    await server.close();
  }
}

const CALL = { method: "POST", path: "v1/x", body: '{"a":1}' } as const;

test("a request carries token, version and body, below the base's path", async () => {
  await withServer(
    async (request) => {
      const { method, url, headers } = request;
      const names = ["authorization", "outrider-protocol", "content-type"];
      return Response.json([
        method,
        new URL(url).pathname,
        ...names.map((name) => headers.get(name)),
        await request.text(),
      ]);
    },
    async (url) => {
      const client = new CoordinatorClient({
        baseUrl: `${url}/behind/proxy`,
        token: "secret",
        clock: systemClock,
        random: systemRandom,
        log: noteLog().log,
      });
      const { answer } = await client.send(CALL);
      assert.deepEqual(answer, ["POST", "/behind/proxy/v1/x", "Bearer secret", "2", "application/json", '{"a":1}']);
    },
  );
});

test("5xx, 429 and replies that are no JSON are tried again, with growing jittered waits, and told once", async () => {
  const { clock, waits } = quickClock();
  const { log, lines } = noteLog();
  const failures = [
    () => new Response("", { status: 500 }),
    () => new Response("", { status: 429, headers: { "retry-after": "3" } }),
    () => new Response("<html>", { status: 200 }),
    () => Response.json({ detail: "Not ready." }, { status: 503 }),
  ];
  await withServer((_, count) => failures[count - 1]?.() ?? Response.json("done"), async (url, asked) => {
    const client = new CoordinatorClient({ baseUrl: url, clock, random: { ...systemRandom, next: () => 0.5 }, log });
    const { answer, sentAfterMs } = await client.send(CALL);
    assert.equal(answer, "done");
    assert.equal(asked.count, 5);
    assert.deepEqual(waits, [150, 3000, 600, 1200]);
    assert.ok(sentAfterMs >= 4950, String(sentAfterMs));
    assert.deepEqual(lines, ["the coordinator doesn't answer; trying again", "the coordinator answers again"]);
  });
});

test("a coordinator that was away is found again on the same port", async () => {
  const { clock } = quickClock();
  const first = await serve({ hostname: "127.0.0.1", port: 0, handler: () => Response.json(1) });
  const client = new CoordinatorClient({ baseUrl: first.url, clock, random: systemRandom, log: noteLog().log });
  assert.equal((await client.send(CALL)).answer, 1);
  await first.close();
  const pending = client.send(CALL);
  const port = Number(new URL(first.url).port);
  const second = await serve({ hostname: "127.0.0.1", port, handler: () => Response.json(2) });
  try {
    assert.equal((await pending).answer, 2);
  } finally {
    await second.close();
  }
});

test("silence is given up and the request sent again", async () => {
  const { clock, expire } = quickClock();
  const release = Promise.withResolvers<Response>();
  await withServer((_, count) => {
    if (count > 1) return Response.json("second");
    expire();
    return release.promise;
  }, async (url) => {
    const client = new CoordinatorClient({ baseUrl: url, clock, random: systemRandom, log: noteLog().log });
    assert.equal((await client.send(CALL)).answer, "second");
    release.resolve(new Response("late"));
  });
});

test("a refusal is final and is a sentence with the coordinator's reason", async () => {
  for (const status of [400, 401, 403, 404, 413, 302]) {
    await withServer(
      () => Response.json({ detail: "That won't do." }, { status, headers: { location: "/y" } }),
      async (url, asked) => {
        const client = new CoordinatorClient({
          baseUrl: url,
          clock: quickClock().clock,
          random: systemRandom,
          log: noteLog().log,
        });
        await assert.rejects(client.send(CALL), (error: CoordinatorRefused) => {
          assert.ok(error instanceof CoordinatorRefused);
          assert.equal(error.status, status);
          assert.match(error.message, /^Asking the coordinator at http:.* for v1\/x: \d+ That won't do\.$/);
          return true;
        });
        assert.equal(asked.count, 1);
      },
    );
  }
});

test("a status that is an answer resolves to nothing", async () => {
  await withServer(() => new Response("", { status: 404 }), async (url) => {
    const client = new CoordinatorClient({
      baseUrl: url,
      clock: systemClock,
      random: systemRandom,
      log: noteLog().log,
    });
    assert.equal((await client.send({ method: "GET", path: "v1/y", absent: 404 })).answer, undefined);
  });
});

test("once the edge stops, nothing new is leased and other calls end within one reply time", async () => {
  const { clock, waits } = quickClock();
  const stop = new AbortController();
  await withServer(() => new Response("", { status: 503 }), async (url) => {
    const client = new CoordinatorClient({
      baseUrl: url,
      clock,
      random: systemRandom,
      log: noteLog().log,
      signal: stop.signal,
    });
    const leasing = client.send({ ...CALL, untilStop: true });
    const telling = client.send(CALL);
    stop.abort();
    await assert.rejects(leasing, /the edge stops/);
    await assert.rejects(telling, /isn't asked again/);
    assert.ok(waits.reduce((sum, ms) => sum + ms, 0) < 3 * LIMITS.apiReplyMs);
    await assert.rejects(client.send({ ...CALL, untilStop: true }), /the edge stops/);
  });
});

test("an address or token that is none is refused at once", () => {
  const parts = { clock: systemClock, random: systemRandom, log: noteLog().log };
  for (const url of ["", "coordinator:80", "ftp://a/", "http://user@a/"]) {
    assert.throws(() => new CoordinatorClient({ ...parts, baseUrl: url }), /is none/, url);
  }
  assert.throws(() => new CoordinatorClient({ ...parts, baseUrl: "http://a/", token: "a\nb" }), /can't be sent/);
});

test("a wrong token is told once, so that the edge can stop; after close nothing is asked", async () => {
  const told: string[] = [];
  await withServer(
    (_, count) => Response.json({ detail: "No." }, { status: count % 2 ? 401 : 403 }),
    async (url, asked) => {
      const client = new CoordinatorClient({
        baseUrl: url,
        clock: systemClock,
        random: systemRandom,
        log: noteLog().log,
        onRefusedToken: (sentence) => told.push(sentence),
      });
      for (let i = 0; i < 3; i++) await assert.rejects(client.send(CALL), CoordinatorRefused);
      assert.equal(told.length, 1);
      assert.match(told[0]!, /401 No\.$/);
      client.close();
      await assert.rejects(client.send(CALL), /was closed/);
      assert.equal(asked.count, 3);
    },
  );
});

test("close ends a call that waits", async () => {
  const arrived = Promise.withResolvers<void>();
  const release = Promise.withResolvers<Response>();
  await withServer(() => {
    arrived.resolve();
    return release.promise;
  }, async (url) => {
    const client = new CoordinatorClient({
      baseUrl: url,
      clock: systemClock,
      random: systemRandom,
      log: noteLog().log,
    });
    const pending = client.send(CALL);
    await arrived.promise;
    client.close();
    await assert.rejects(pending, /was closed/);
    release.resolve(new Response("late"));
  });
});
