import assert from "node:assert/strict";
import { ask, complete, newWorld, robots, spec, start } from "../../../tests/support/frontier.ts";
import { Faults, faultyStore } from "../../../tests/support/faulty_store.ts";
import { test } from "../../../tests/support/test.ts";
import type { Failed, Target } from "../../../protocol/mod.ts";
import type { ShardStore } from "../../ports.ts";

/** Commits of every store wait while it is closed, and fail once it is opened again. */
class Gate {
  #waiting: (() => void)[] = [];
  isClosed = false;

  wrap = (store: ShardStore): ShardStore => {
    const commit = async (batch: Parameters<ShardStore["commit"]>[0]) => {
      if (!this.isClosed) return await store.commit(batch);
      this.isClosed = false;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
      throw new Error("Committing: the disk is full.");
    };
    return { ...faultyStore(store, new Faults()), commit };
  };

  fail(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

const failed = (target: Target): Failed => ({
  status: "failed",
  target_id: target.target_id,
  failure: "http_5xx",
  http_code: 500,
  requests: 1,
});

test("page limit: what a failed commit takes back was not leased to another shard's host meanwhile", async () => {
  const gate = new Gate();
  const world = newWorld(2);
  const coordinator = await start(world, { wrap: gate.wrap });
  const seeds = ["a", "b", "c", "d", "e"].map((name) => `https://${name}.example/`);
  await coordinator.createCrawl("c", spec(seeds, { max_pages: 1 }));
  const [lease] = (await ask(coordinator)).leases;
  const outcomes = lease!.targets.map((target) => target.kind === "robots" ? robots(target) : failed(target));
  gate.isClosed = true;
  const unanswered = assert.rejects(complete(coordinator, lease!, outcomes), /disk is full/);
  await world.clock.settle();
  const other = ask(coordinator);
  await world.clock.settle();
  gate.fail();
  await unanswered;
  await other;
  const { pages, leased } = coordinator.stats("c")!;
  assert.ok(pages + leased <= 1, `${pages} pages are fetched and ${leased} leased of a crawl with a limit of 1`);
  await coordinator.close();
});
