/** `outrider token` beside a running coordinator, and what it remembers over a kill -9. */

import assert from "node:assert/strict";
import { type Outrider, runOutrider, spawnOutrider } from "../support/outrider_process.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";

async function withFolder(body: (path: string) => Promise<void>): Promise<void> {
  const folder = temporaryFolder();
  try {
    await body(folder.path);
  } finally {
    await folder.remove();
  }
}

async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + 20_000;
  while (!await holds()) assert.ok(Date.now() < until, what);
}

test("tokens of the command line count in a running coordinator; keys and the log outlive a kill -9", () =>
  withFolder(async (data) => {
    const cli = async (...args: string[]) => {
      const { code, stdout, stderr } = await runOutrider(["token", ...args, "--data", data, "--json"]);
      assert.equal(code, 0, stderr);
      return stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
    };
    let coordinator: Outrider | undefined;
    let base = "";
    const start = async () => {
      coordinator = spawnOutrider(["coordinator", "--port", "0", "--data", data, "--contact", "a@example.org"]);
      base = (await coordinator.line(/listens on/)).split(" ").at(-1)!;
    };
    const ask = async (token: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": "k" };
      const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
      const response = await fetch(base + path, init);
      return { status: response.status, body: await response.json() };
    };
    try {
      const [operator] = await cli("create", "--role", "operator", "--name", "ops");
      await start();
      const [reader] = await cli("create", "--role", "reader", "--expires", "2d");
      assert.deepEqual((await cli("list")).map(({ id, secret }) => [id, secret]), [
        [operator.id, undefined],
        [reader.id, undefined],
      ]);
      assert.equal((await ask("", "/v1/crawls")).status, 401);
      await eventually("the new token counts", async () => (await ask(reader.secret, "/v1/crawls")).status === 200);
      await cli("revoke", reader.id);
      await eventually("the revoked one doesn't", async () => (await ask(reader.secret, "/v1/crawls")).status === 401);
      const seeds = { urls: ["https://example.org/"] };
      const first = await ask(operator.secret, "/v1/crawl/seeds", seeds);
      assert.equal(first.status, 202, JSON.stringify(first.body));
      coordinator!.kill("SIGKILL");
      await coordinator!.ended;
      await start();
      assert.deepEqual(await ask(operator.secret, "/v1/crawl/seeds", seeds), first);
      const other = await ask(operator.secret, "/v1/crawl/seeds", { urls: ["https://example.net/"] });
      assert.equal(other.status, 422);
      const { actions } = (await ask(operator.secret, "/v1/audit")).body;
      assert.deepEqual(actions.map((row: Record<string, unknown>) => [row.name, row.status]), [
        ["ops", 422],
        ["ops", 202],
        ["ops", 202],
      ]);
    } finally {
      coordinator?.kill("SIGKILL");
      await coordinator?.ended;
    }
  }));

test("a token that can't be made or found is told in a sentence", () =>
  withFolder(async (data) => {
    const wrong = await runOutrider(["token", "create", "--role", "root", "--data", data]);
    assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
    const absent = await runOutrider(["token", "revoke", "t-1", "--data", `${data}/none`]);
    assert.equal(absent.code, 1);
    assert.match(absent.stderr, /^outrider: Reading the tokens of .*: there is no control\.db in it/);
  }));
