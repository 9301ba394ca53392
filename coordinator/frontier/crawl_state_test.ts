import assert from "node:assert/strict";
import { newWorld, silentLog, spec, testCore, type World } from "../../tests/support/frontier.ts";
import { test } from "../../tests/support/test.ts";
import { nativeDigest } from "../../runtime/node.ts";
import type { ControlStore, Coordinator } from "../ports.ts";
import { MemoryControlStore } from "../store/memory_control_store.ts";
import { MemoryShardStore } from "../store/memory_shard_store.ts";
import { openCoordinator } from "./coordinator.ts";

function controlOf(memory: MemoryControlStore): ControlStore {
  return {
    open: () => memory.open(),
    crawls: () => memory.crawls(),
    putCrawl: (crawl, over) => memory.putCrawl(crawl, over),
    idempotent: (key, now) => memory.idempotent(key, now),
    putIdempotent: (key, answer, now) => memory.putIdempotent(key, answer, now),
    close: () => memory.close(),
  };
}

async function open(world: World, controlStore: ControlStore): Promise<Coordinator> {
  return await openCoordinator({
    core: await testCore(),
    shardStores: [new MemoryShardStore(world.disks[0])],
    controlStore,
    clock: world.clock,
    random: world.random,
    digest: nativeDigest,
    log: silentLog,
    settings: { groupCommitMs: 0, sweepMs: 100 },
  });
}

test("seeds whose end could not be saved are injected again by themselves, and the crawl can end", async () => {
  const world = newWorld();
  const memory = new MemoryControlStore(world.control);
  let failures = 0;
  const coordinator = await open(world, {
    ...controlOf(memory),
    async putCrawl(crawl, over) {
      if (!crawl.seeding && failures++ < 2) throw new Error("Saving a crawl: the disk is full.");
      return await memory.putCrawl(crawl, over);
    },
  });
  await assert.rejects(coordinator.createCrawl("c", spec(["https://a.example/"])), /disk is full/);
  await world.clock.advance(1_000);
  assert.equal((await memory.crawls())[0]!.seeding, false);
  assert.equal(coordinator.stats("c")!.accepted, 1);
  await coordinator.close();
});

test("a pause that is answered is durable, though a resume before it failed and was saved after all", async () => {
  const world = newWorld();
  const memory = new MemoryControlStore(world.control);
  let losesAnswer = false;
  const coordinator = await open(world, {
    ...controlOf(memory),
    async putCrawl(crawl, over) {
      const answer = await memory.putCrawl(crawl, over);
      if (losesAnswer) throw new Error("Saving a crawl: the connection is lost.");
      return answer;
    },
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
