/** Pages that a bug of the core would read for ever, or with all memory, through a whole edge: reported, and the lease goes on. */

import assert from "node:assert/strict";
import { openEdgeNode } from "../../cli/edge_node.ts";
import { coreOf } from "../../core-wasm/mod.ts";
import { silentLog, withControlPlane } from "../support/control_plane.ts";
import { ENDLESS_BYTES, GREEDY_BYTES, hostileArtefact, pageOf } from "../support/hostile_core.ts";
import { type RawRequest, startRawServer } from "../support/raw_server.ts";
import { crawlSpec } from "../support/specs.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";

/** 64 MB at a time: how it grows, and what it costs then, is tested in a process of its own (core-wasm/budget_test.ts). */
const GREEDY_STEP = 1024;

/** Each page leads to the next, and the hostile ones lead nowhere: their links are on the first. */
const PAGES: Readonly<Record<string, string>> = {
  "/": pageOf(300, "/endless") + '<a href="/greedy">two</a><a href="/fine">three</a>',
  "/endless": pageOf(ENDLESS_BYTES, "/never"),
  "/greedy": pageOf(GREEDY_BYTES, "/never"),
  "/fine": pageOf(400, "/last"),
  "/last": pageOf(500, "/"),
};

function answer(request: RawRequest): void {
  const page = PAGES[request.path];
  const head = page === undefined ? "404 Not Found" : "200 OK";
  const body = page ?? "";
  void request.send(
    `HTTP/1.1 ${head}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}

test("scan budget: an endless and a greedy page are reported as scan_failed, archived, and the lease goes on", async () => {
  const server = await startRawServer(answer);
  const folder = temporaryFolder();
  try {
    await withControlPlane(async ({ coordinator }) => {
      const spec = crawlSpec([`${server.origin}/`]);
      await coordinator.createCrawl("hostile", {
        ...spec,
        politeness: { ...spec.politeness, delay_ms: 0, delay_factor: 0 },
      });
      const edge = await openEdgeNode({
        folder: folder.path,
        storagePrefix: "",
        archiveName: "hostile",
        workerId: "w",
        region: "r",
        userAgent: spec.user_agent,
        maxHosts: 2,
        scanThreads: 0,
        openedCidrs: ["127.0.0.0/8"],
        resolve: [],
        resolvers: [],
        timeoutMs: 30_000,
        bodyBytes: 10_000_000,
      }, {
        frontier: coordinator,
        core: coreOf(await hostileArtefact(GREEDY_STEP)),
        log: silentLog,
        onLocalTrouble: (trouble) => assert.fail(JSON.stringify(trouble)),
        onSlotMap: () => {},
      });
      const stop = new AbortController();
      const running = edge.run(stop.signal);
      while (coordinator.crawls().some(({ state }) => state === "running")) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      stop.abort();
      await running;
      await edge.close();
      const { fetched, dead, errors_by_class } = coordinator.stats("hostile")!;
      assert.deepEqual([fetched, dead, errors_by_class.scan_failed], [3, 2, 2]);
      const why = async (path: string) => (await coordinator.urlStatus("hostile", server.origin + path))?.why ?? "";
      assert.match(await why("/endless"), /scan_failed|steps/);
      assert.match(await why("/greedy"), /scan_failed|Scanning/);
      assert.equal(await coordinator.urlStatus("hostile", `${server.origin}/never`), undefined);
    });
  } finally {
    await server.close();
    await folder.remove();
  }
});
