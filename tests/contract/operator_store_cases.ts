/**
 * What every OperatorStore does; a part of the suite of control stores.
 */

import assert from "node:assert/strict";
import type { AuditEntry, OperatorStore, TokenRow } from "../../coordinator/operator_ports.ts";

const NOW = 1_790_000_000_000;

type It<Store> = (title: string, body: (reopen: () => Promise<Store>) => Promise<void>) => void;

function token(id: string, over: Partial<TokenRow> = {}): TokenRow {
  const sha256 = "ab".repeat(32);
  return { id, role: "edge", name: "tokyo", sha256, createdAt: NOW, expiresAt: 0, revokedAt: 0, ...over };
}

function entry(id: string, over: Partial<AuditEntry> = {}): AuditEntry {
  const who = { token: "t-1", role: "operator", name: "ops" } as const;
  return { id, at: NOW, ...who, method: "POST", path: "/v1/x?é=\u0000", body: '{"a":1}', status: 0, ...over };
}

export function operatorStoreCases<Store extends OperatorStore>(it: It<Store>): void {
  it("tokens are kept in the order of their making, the newest row of each", async (reopen) => {
    const store = await reopen();
    assert.deepEqual(await store.tokens(), []);
    await store.putToken(token("z"));
    await store.putToken(token("a", { role: "reader", name: "", expiresAt: NOW + 1 }));
    await store.putToken(token("z", { revokedAt: NOW + 5 }));
    const again = await reopen();
    assert.deepEqual((await again.tokens()).map(({ id, revokedAt }) => [id, revokedAt]), [["z", NOW + 5], ["a", 0]]);
  });

  it("audited actions get their status later, come newest first, in pages, and repeating a write adds none", async (reopen) => {
    const store = await reopen();
    const begun = [entry("a"), entry("b", { at: NOW + 1 }), entry("c", { at: NOW + 2 })];
    const writes = { begun, ended: [{ id: "a", status: 202 }, { id: "none", status: 200 }], most: 100 };
    await store.writeAudit(writes);
    await store.writeAudit(writes);
    await store.writeAudit({ begun: [], ended: [{ id: "b", status: 400 }], most: 100 });
    const again = await reopen();
    const rows = await again.audit(0, 2);
    assert.deepEqual(rows.map(({ id, status }) => [id, status]), [["c", 0], ["b", 400]]);
    const { seq, ...rest } = (await again.audit(rows[1]!.seq, 10))[0]!;
    assert.deepEqual(rest, entry("a", { status: 202 }));
    assert.ok(seq < rows[1]!.seq);
  });

  it("the audit log keeps the newest rows, and forgets what it is told to", async (reopen) => {
    const store = await reopen();
    const begun = Array.from({ length: 12 }, (_, index) => entry(`e${index}`, { at: NOW + index }));
    await store.writeAudit({ begun, ended: [], most: 10 });
    assert.deepEqual((await store.audit(0, 100)).map(({ id }) => id).at(-1), "e2");
    assert.equal(await store.pruneAudit(NOW + 10), 8);
    assert.equal(await store.pruneAudit(NOW + 10), 0);
    assert.deepEqual((await store.audit(0, 100)).map(({ id }) => id), ["e11", "e10"]);
    await store.pruneAudit(NOW + 1000);
    await store.writeAudit({ begun: [entry("after")], ended: [], most: 10 });
    assert.ok((await (await reopen()).audit(0, 1))[0]!.seq > 12, "a seq never comes again");
  });

  it("a secret is the first one that was offered, for everybody", async (reopen) => {
    const store = await reopen();
    assert.equal(await store.secret("outbox", "first"), "first");
    assert.equal(await store.secret("outbox", "second"), "first");
    assert.equal(await store.secret("other", "third"), "third");
    assert.equal(await (await reopen()).secret("outbox", "fourth"), "first");
  });

  it("quarantines stand by name, the newest word of each", async (reopen) => {
    const store = await reopen();
    await store.putQuarantine({ name: "tokyo", reason: "forged", at: NOW, liftedAt: 0 });
    await store.putQuarantine({ name: "paris", reason: "", at: NOW, liftedAt: 0 });
    await store.putQuarantine({ name: "tokyo", reason: "forged", at: NOW, liftedAt: NOW + 1 });
    const rows = await (await reopen()).quarantines();
    assert.deepEqual(rows.map(({ name, liftedAt }) => [name, liftedAt]), [["paris", 0], ["tokyo", NOW + 1]]);
  });
}
