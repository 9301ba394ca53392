/**
 * What every ControlStore does; each adapter runs it from its own `*_test.ts`.
 * Invariant: a test reaches the data only through the port, and through a second handle on the same data.
 */

import assert from "node:assert/strict";
import type { ClusterStore } from "../../coordinator/owner_ports.ts";
import type { OperatorStore } from "../../coordinator/operator_ports.ts";
import type { ControlStore as CrawlsStore, CrawlRow } from "../../coordinator/ports.ts";
import { test } from "../support/test.ts";
import { allotmentCases } from "./allotment_cases.ts";
import { directoryStoreCases } from "./directory_store_cases.ts";
import { operatorStoreCases } from "./operator_store_cases.ts";

type ControlStore = CrawlsStore & OperatorStore & ClusterStore;

export interface ControlShelf {
  /** A new, unopened handle on the same data. */
  handle(): ControlStore;
  remove(): Promise<void>;
}

const HOUR_MS = 3_600_000;
const NOW = 1_790_000_000_000;

function crawlRow(crawlId: string, over: Partial<CrawlRow> = {}): CrawlRow {
  return {
    crawlId,
    spec: {
      seeds: ["https://a.example/é"],
      scope: { kind: "host", domains: ["b.example"], max_depth: 3, include: ["\\u{1f600}"], exclude: [] },
      priority: 0.1 + 0.2,
      politeness: { delay_ms: 1000, delay_factor: 10, delay_cap_ms: 60_000, max_parallel: 1 },
      user_agent: "Outrider/0.1.0",
      product_token: "Outrider",
      embeds: false,
      respect_rel_nofollow: true,
    },
    state: "running",
    reason: "",
    stateVersion: 1,
    createdAt: NOW,
    finishedAt: 0,
    seeding: true,
    extraHosts: [],
    ...over,
  };
}

export function runControlStoreSuite(name: string, makeShelf: () => Promise<ControlShelf>): void {
  const it = (title: string, body: (reopen: () => Promise<ControlStore>) => Promise<void>) =>
    test(`${name}: ${title}`, async () => {
      const shelf = await makeShelf();
      let store: ControlStore | undefined;
      try {
        await body(async () => {
          await store?.close();
          store = shelf.handle();
          await store.open();
          return store;
        });
      } finally {
        await store?.close();
        await shelf.remove();
      }
    });

  operatorStoreCases(it);
  directoryStoreCases(it);

  it("crawls are kept in the order of their coming, the newest row of each", async (reopen) => {
    const store = await reopen();
    assert.deepEqual(await store.crawls(), []);
    assert.equal(await store.putCrawl(crawlRow("z"), 0), true);
    assert.equal(await store.putCrawl(crawlRow("a"), 0), true);
    const changed = crawlRow("z", {
      stateVersion: 2,
      state: "finished",
      finishedAt: NOW + 5,
      seeding: false,
      extraHosts: ["c.example"],
    });
    assert.equal(await store.putCrawl(changed, 1), true);
    assert.deepEqual(await (await reopen()).crawls(), [changed, crawlRow("a")]);
  });

  it("a crawl's row is written over the version that was seen, and only then", async (reopen) => {
    const store = await reopen();
    const { changes } = await store.directory.read();
    assert.equal(await store.putCrawl(crawlRow("a"), 1), false);
    assert.deepEqual(await store.crawls(), []);
    assert.equal(await store.putCrawl(crawlRow("a"), 0), true);
    assert.equal((await store.directory.read()).changes, changes + 1);
    const [mine, theirs] = ["b.example", "c.example"].map((host) =>
      crawlRow("a", { stateVersion: 2, extraHosts: [host] })
    );
    assert.equal(await store.putCrawl(mine!, 1), true);
    assert.equal(await store.putCrawl(mine!, 1), true, "the answer was lost, and the same row is written again");
    assert.equal(await store.putCrawl(theirs!, 1), false);
    assert.equal(await store.putCrawl(crawlRow("a"), 0), false);
    assert.deepEqual(await store.crawls(), [mine]);
    assert.equal((await store.directory.read()).changes, changes + 2);
  });

  allotmentCases(it);

  it("the first answer under a key stands", async (reopen) => {
    const store = await reopen();
    assert.equal(await store.idempotent("k", NOW), undefined);
    await store.putIdempotent("k", '{"a":"\\u0000é"}', NOW);
    await store.putIdempotent("k", "second", NOW + 1);
    await store.putIdempotent("other", "", NOW + 1);
    const again = await reopen();
    assert.equal(await again.idempotent("k", NOW + 2), '{"a":"\\u0000é"}');
    assert.equal(await again.idempotent("other", NOW + 2), "");
  });

  it("an answer is forgotten after 24 h, and its key may be used again", async (reopen) => {
    const store = await reopen();
    await store.putIdempotent("k", "old", NOW);
    assert.equal(await store.idempotent("k", NOW + 24 * HOUR_MS - 1), "old");
    assert.equal(await store.idempotent("k", NOW + 24 * HOUR_MS), undefined);
    await store.putIdempotent("k", "new", NOW + 24 * HOUR_MS);
    assert.equal(await (await reopen()).idempotent("k", NOW + 25 * HOUR_MS), "new");
  });
}
