import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { RUNTIME, test } from "./test.ts";
import { spawnWeb } from "./web_server.ts";
import type { WebProcess } from "./web_server.ts";

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}

/** One exchange on its own connection, the Host header of a name-form host. */
function ask(web: WebProcess, host: string, path: string, headers: Record<string, string> = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port: web.port, path, agent: false as const };
    request({ ...options, headers: { host: `${host}:${web.port}`, ...headers } }, (response) => {
      const parts: Uint8Array[] = [];
      response.on("data", (part) => parts.push(part));
      response.on(
        "end",
        () => resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) }),
      );
    }).on("error", reject).end();
  });
}

test("the web runs as a process, answers by Host header, logs each request, forgets on reset, and stops", async () => {
  const web = await spawnWeb({ hosts: 3, pages: 60, hostForm: "name", pageKb: 2 });
  try {
    assert.equal(web.seed, `http://h0.web.test:${web.port}/`);
    const plain = await ask(web, "h1.web.test", "/");
    assert.equal(plain.status, 200);
    const zipped = await ask(web, "H1.WEB.TEST", "/", { "accept-encoding": "gzip", "user-agent": "Test/1" });
    assert.equal(zipped.headers["content-encoding"], "gzip");
    assert.deepEqual(new Uint8Array(gunzipSync(zipped.body)), new Uint8Array(plain.body));
    const etag = String(plain.headers.etag);
    assert.equal((await ask(web, "h1.web.test", "/", { "if-none-match": etag })).status, 304);
    assert.equal((await ask(web, "h9.web.test", "/")).status, 421);
    const log = await web.log();
    assert.deepEqual(log.map((entry) => [entry.host, entry.path, entry.status]), [
      [1, "/", 200],
      [1, "/", 200],
      [1, "/", 304],
      [-1, "/", 421],
    ]);
    assert.equal(log[1]!.userAgent, "Test/1");
    assert.equal(log[2]!.ifNoneMatch, etag);
    assert.ok(log.every((entry, i) => entry.endMs >= entry.startMs && entry.seq === i && entry.connection === i + 1));
    assert.equal((await web.stats()).requests, 4);
    await web.reset();
    assert.deepEqual(await web.log(), []);
  } finally {
    await web.stop();
  }
});

test("a server that can't start is an error sentence", async () => {
  await assert.rejects(spawnWeb({ hosts: 3, pages: 60 }, { runtime: "/usr/bin/false" }), /ended before it was ready/);
  await assert.rejects(spawnWeb({ hosts: 3, pages: 2 }), /at least one each/);
});

test("the server ends with the process that started it, even when that is killed", async () => {
  const file = fileURLToPath(new URL("web_server.ts", import.meta.url));
  const script = `const { spawnWeb } = await import(${JSON.stringify(file)});` +
    `const web = await spawnWeb({ hosts: 1, pages: 1 }); console.log(web.port); setInterval(() => {}, 1000);`;
  const runtime = process.execPath;
  const args = RUNTIME === "deno" ? ["eval", script] : ["-e", script];
  const parent = spawn(runtime, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(parent.stdout, "data");
  const ended = once(parent, "exit");
  const port = Number(String(line).trim());
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const closed = once(socket.on("error", () => {}), "close");
  socket.resume();
  parent.stdout.resume();
  parent.kill("SIGKILL");
  await Promise.all([ended, closed]);
});
