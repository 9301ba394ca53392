import assert from "node:assert/strict";
import { request } from "node:https";
import { test } from "../tests/support/test.ts";
import { TLS_FIXTURE } from "../tests/support/tls_fixture.ts";
import { serve } from "./serve.ts";

const LOOPBACK = { hostname: "127.0.0.1", port: 0 };

test("a server answers with what its handler makes of the request, and knows who asks", async () => {
  const server = await serve({
    ...LOOPBACK,
    handler: async (request, remoteAddress) =>
      Response.json({
        method: request.method,
        path: new URL(request.url).pathname,
        body: await request.text(),
        remoteAddress,
      }),
  });
  try {
    const reply = await fetch(`${server.url}/a/b?c`, { method: "PUT", body: "süß" });
    assert.equal(reply.status, 200);
    assert.deepEqual(await reply.json(), { method: "PUT", path: "/a/b", body: "süß", remoteAddress: "127.0.0.1" });
  } finally {
    await server.close();
  }
});

test("a body of several megabytes arrives whole", async () => {
  const server = await serve({
    ...LOOPBACK,
    handler: async (request) => new Response(String((await request.arrayBuffer()).byteLength)),
  });
  try {
    const reply = await fetch(server.url, { method: "POST", body: new Uint8Array(20_000_000) });
    assert.equal(await reply.text(), "20000000");
  } finally {
    await server.close();
  }
});

test("close lets an open request end, then frees the port", async () => {
  const arrived = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const first = await serve({
    ...LOOPBACK,
    handler: async () => {
      arrived.resolve();
      await go.promise;
      return new Response("late");
    },
  });
  const reply = fetch(first.url);
  await arrived.promise;
  const closed = first.close();
  go.resolve();
  assert.equal(await (await reply).text(), "late");
  await closed;
  const port = Number(new URL(first.url).port);
  const second = await serve({ ...LOOPBACK, port, handler: () => new Response("second") });
  try {
    assert.equal(await (await fetch(second.url)).text(), "second");
  } finally {
    await second.close();
  }
});

test("close isn't held up by an idle keep-alive connection", async () => {
  const server = await serve({ ...LOOPBACK, handler: () => new Response("x") });
  await (await fetch(server.url)).text();
  const start = performance.now();
  await server.close();
  assert.ok(performance.now() - start < 4000);
});

test("a taken port is refused with a sentence", async () => {
  const server = await serve({ ...LOOPBACK, handler: () => new Response("x") });
  try {
    const port = Number(new URL(server.url).port);
    await assert.rejects(
      serve({ ...LOOPBACK, port, handler: () => new Response("y") }),
      /^Error: Listening on 127\.0\.0\.1:\d+ failed: .*wanted\.$/,
    );
  } finally {
    await server.close();
  }
});

/** GET with a CA of our own, which `fetch` has no common way to name. */
function getOverTls(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { ca: TLS_FIXTURE.ca, agent: false }, (reply) => {
      let text = "";
      reply.setEncoding("utf8");
      reply.on("data", (chunk: string) => text += chunk);
      reply.on("end", () => resolve(text));
    });
    asked.on("error", reject);
    asked.end();
  });
}

test("with a certificate the server speaks TLS, and says so in its URL", async () => {
  const server = await serve({ ...LOOPBACK, tls: TLS_FIXTURE.leaf, handler: () => new Response("secret") });
  try {
    assert.match(server.url, /^https:\/\/127\.0\.0\.1:\d+$/);
    assert.equal(await getOverTls(server.url), "secret");
  } finally {
    await server.close();
  }
});
