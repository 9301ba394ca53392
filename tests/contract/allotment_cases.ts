/**
 * What every AllotmentStore does.
 * Invariant: the sum over the shards never exceeds the limit.
 */

import assert from "node:assert/strict";
import { type AllotmentClaim, type ClusterStore, OwnerLost } from "../../coordinator/owner_ports.ts";

type It = (title: string, body: (reopen: () => Promise<ClusterStore>) => Promise<void>) => void;

const CLAIM: AllotmentClaim = { crawlId: "c", shard: 0, term: 5, version: 1, used: 0, pages: 0, limit: 100 };

export function allotmentCases(it: It): void {
  it("pages are given while the limit has them, and what is given back is given again", async (reopen) => {
    const { allotments } = await reopen();
    const claim = (change: Partial<AllotmentClaim>) => allotments.claim({ ...CLAIM, ...change });
    assert.equal(await claim({ pages: 60 }), 60);
    assert.equal(await claim({ shard: 1, pages: 60 }), 40);
    assert.equal(await claim({ crawlId: "other", pages: 60 }), 60);
    assert.equal(await claim({ version: 2, pages: 70 }), 60);
    assert.equal(await claim({ version: 3, pages: 10 }), 10);
    assert.equal(await (await reopen()).allotments.claim({ ...CLAIM, shard: 1, version: 2, pages: 95 }), 90);
  });

  it("under a limit that became smaller a shard keeps what it used, and gets no more", async (reopen) => {
    const { allotments } = await reopen();
    const claim = (change: Partial<AllotmentClaim>) => allotments.claim({ ...CLAIM, ...change });
    await claim({ pages: 60 });
    await claim({ shard: 1, pages: 40 });
    assert.equal(await claim({ version: 2, used: 45, pages: 60, limit: 50 }), 45);
    assert.equal(await claim({ shard: 1, version: 2, used: 2, pages: 45, limit: 50 }), 5);
    assert.equal(await claim({ version: 3, used: 45, pages: 60, limit: 50 }), 45);
  });

  it("an owner that was followed by another claims nothing", async (reopen) => {
    const { allotments } = await reopen();
    const claim = (change: Partial<AllotmentClaim>) => allotments.claim({ ...CLAIM, ...change });
    assert.equal(await claim({ pages: 60 }), 60);
    assert.equal(await claim({ term: 6, version: 0, pages: 20 }), 20);
    await assert.rejects(claim({ version: 9, pages: 80 }), OwnerLost);
    assert.equal(await claim({ shard: 1, pages: 100 }), 80);
  });

  it("a claim that comes twice or late changes nothing", async (reopen) => {
    const { allotments } = await reopen();
    const claim = (change: Partial<AllotmentClaim>) => allotments.claim({ ...CLAIM, ...change });
    assert.equal(await claim({ version: 1, pages: 20 }), 20);
    assert.equal(await claim({ version: 2, pages: 50 }), 50);
    assert.equal(await claim({ version: 2, pages: 50 }), 50);
    assert.equal(await claim({ version: 1, pages: 20 }), 50);
    assert.equal(await claim({ shard: 1, pages: 100 }), 50);
  });
}
