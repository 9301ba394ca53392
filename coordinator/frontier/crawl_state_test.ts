import assert from "node:assert/strict";
import { newWorld, silentLog, spec, testCore } from "../../tests/support/frontier.ts";
import { test } from "../../tests/support/test.ts";
import { nativeDigest } from "../../runtime/node.ts";
import type { ControlStore } from "../ports.ts";
import { MemoryControlStore } from "../store/memory_control_store.ts";
import { MemoryShardStore } from "../store/memory_shard_store.ts";
import { openCoordinator } from "./coordinator.ts";

test("a pause that is answered is durable, though a resume before it failed and was saved after all", async () => {
  const world = newWorld();
  const memory = new MemoryControlStore(world.control);
  let losesAnswer = false;
  const controlStore: ControlStore = {
    open: () => memory.open(),
    crawls: () => memory.crawls(),
    async putCrawl(crawl, over) {
      const answer = await memory.putCrawl(crawl, over);
      if (losesAnswer) throw new Error("Saving a crawl: the connection is lost.");
      return answer;
    },
    idempotent: (key, now) => memory.idempotent(key, now),
    putIdempotent: (key, answer, now) => memory.putIdempotent(key, answer, now),
    close: () => memory.close(),
  };
  const coordinator = await openCoordinator({
    core: await testCore(),
    shardStores: [new MemoryShardStore(world.disks[0])],
    controlStore,
    clock: world.clock,
    random: world.random,
    digest: nativeDigest,
    log: silentLog,
    settings: { groupCommitMs: 0 },
  });
  await coordinator.createCrawl("c", spec(["https://a.example/"]));
  await coordinator.setCrawlState("c", "paused");
  losesAnswer = true;
  await assert.rejects(coordinator.setCrawlState("c", "running"), /connection is lost/);
  losesAnswer = false;
  assert.equal((await coordinator.setCrawlState("c", "paused"))!.state, "paused");
  assert.equal((await memory.crawls())[0]!.state, "paused");
  await coordinator.close();
});
