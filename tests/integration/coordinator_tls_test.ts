/** `outrider coordinator --tls-cert --tls-key`: HTTPS, or a sentence. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { request } from "node:https";
import { runOutrider, spawnOutrider } from "../support/outrider_process.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";
import { TLS_FIXTURE } from "../support/tls_fixture.ts";

test("TLS by flag: the coordinator serves HTTPS with the certificate, and refuses half a pair", async () => {
  const folder = temporaryFolder();
  const [cert, key] = [folder.file("cert.pem"), folder.file("key.pem")];
  writeFileSync(cert, TLS_FIXTURE.leaf.cert);
  writeFileSync(key, TLS_FIXTURE.leaf.key);
  const flags = ["coordinator", "--port", "0", "--data", folder.file("data")];
  const coordinator = spawnOutrider([...flags, "--tls-cert", cert, "--tls-key", key]);
  try {
    const url = (await coordinator.line(/listens on https:/)).split(" ").at(-1)!;
    const status = await new Promise((resolve, reject) => {
      const asking = request(`${url}/healthz`, { ca: TLS_FIXTURE.ca, agent: false }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode));
      });
      asking.on("error", reject).end();
    });
    assert.equal(status, 200);
    const half = await runOutrider([...flags, "--tls-cert", cert]);
    assert.deepEqual([half.code, half.stdout], [2, ""]);
    assert.match(half.stderr, /^outrider: Only one of --tls-cert and --tls-key was given; both are wanted\.\n$/);
    const absent = await runOutrider([...flags, "--tls-cert", folder.file("none.pem"), "--tls-key", key]);
    assert.equal(absent.code, 1);
    assert.match(absent.stderr, /^outrider: Reading the TLS certificate failed: .*two PEM files are wanted\.\n$/);
  } finally {
    coordinator.kill("SIGKILL");
    await coordinator.ended;
    await folder.remove();
  }
});
